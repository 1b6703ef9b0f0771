"""A judge that says what a file or a function tells it to: for tests, and for trying a pipeline.

`--model scripted:rules.jsonl` reads one rule a line; the first that fits a request answers it:

    {"id": "q1", "order": "AB", "matches": "regex over the prompt", "reply": "8 6"}

`id`, `order` and `matches` are conditions (all optional). `reply` is the completion, in which `{prompt}`
stands for the prompt itself; `error` fails the request instead; `seconds` waits first; `finish_reason` may be
"length". A conversation is a request for the order A of an item whose id is "".
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Any, Self
from zlib import crc32

from judgecli.errors import ModelError
from judgecli.types import (
    Completion,
    Grammar,
    LabelsGrammar,
    Order,
    Prompt,
    Request,
    VerdictPlace,
    WrittenPiece,
)
from judgecli.types.headers import SCRIPTED
from judgecli.types.paths import is_file

_KINDS: Mapping[str, type | tuple[type, ...]] = {
    "id": str,
    "order": str,
    "matches": str,
    "reply": str,
    "error": str,
    "seconds": (int, float),
    "finish_reason": str,
}
_ALLOWED: Mapping[str, Callable[[Any], bool]] = {
    "order": lambda value: bool(re.fullmatch("[A-S]+", value)),
    "finish_reason": lambda value: value in {"stop", "length"},
    "seconds": lambda value: 0 <= value <= _MAX_SECONDS,
}
_MAX_SECONDS = 3600


class WordTokenizer:
    """Counts words; stands in for a model's tokenizer."""

    n_ctx_train: int | None = None
    # lets families that need a chat template be rendered
    chat_template: str | None = (
        "{% for m in messages %}<{{ m.role }}>{{ m.content }}</{{ m.role }}>{% endfor %}<assistant>"
    )

    end_of_text = ""

    def encode(self, prompt: Prompt) -> list[list[int]]:
        """Return a number for each word, one list an evaluation unit."""
        units: list[list[int]] = [[]]
        for piece in prompt.pieces:
            units[-1].extend(crc32(word.encode("utf-8", "surrogatepass")) for word in piece.text.split())
            if piece.cut:
                units.append([])
        return units

    def check_verdicts(self, prompt: Prompt, grammar: Grammar) -> None:
        """Accept any grammar: texts are read, not tokens."""


@contextmanager
def open_tokenizer(path: Path) -> Iterator[WordTokenizer]:
    """Return the word counter; a script has no vocabulary of its own.

    Raises:
        ModelError: the file cannot be read, or a rule is wrong.
    """
    rules = _read_rules(path)
    if not is_file(path):
        _OF_PIPES[path] = rules
    yield WordTokenizer()


def describe(**_options: object) -> dict[str, Any]:
    """Return what a run header records: the name; there is nothing else."""
    return {"name": SCRIPTED, "device": "none"}


class ScriptedBackend:
    """Answers each request with `reply(request)`: a completion's text, or a whole completion."""

    def __init__(self, reply: Callable[[Request], str | Completion]) -> None:
        """Take the function that plays the judge."""
        self._reply = reply
        self.settings = MappingProxyType(describe())
        self.n_calls = 0

    def judge(self, requests: Sequence[Request]) -> Iterator[Completion]:
        """Answer requests one after the other."""
        for request in requests:
            started = time.perf_counter()
            self.n_calls += 1
            answer = self._reply(request)
            if isinstance(answer, Completion):
                yield answer
                continue
            elapsed_s = time.perf_counter() - started
            yield _completion(request, request.prompt.text, answer, elapsed_s=elapsed_s)

    def write(self, prompt: Prompt, *, max_tokens: int, stop: Sequence[str] = ()) -> Iterator[WrittenPiece]:
        """Write the answer to a prompt word by word: up to `max_tokens` words, and to the first stop text.

        Raises:
            ModelError: the answer is a failure.
        """
        request = Request.of(
            prompt,
            item_id="",
            order=Order("A"),
            grammar=LabelsGrammar(labels={}),
            place=VerdictPlace.IN_TEXT,
            n_reason_tokens=max_tokens,
            stop=tuple(stop),
        )
        [completion] = self.judge([request])
        if completion.error is not None:
            raise ModelError(f"the script does not answer the conversation: {completion.error}")
        text = completion.text
        n_blank = len(text) - len(text.lstrip())
        found = (text.find(one, 0 if one.strip() else n_blank) for one in stop)
        end = min((at for at in found if at >= 0), default=None)
        words = re.findall(r"\S+\s*|\s+", text[:end])
        yield from (WrittenPiece(text=word) for word in words[:max_tokens])
        is_cut = len(words) > max_tokens
        yield WrittenPiece(text="", finish_reason="length" if is_cut else completion.finish_reason)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        pass


def open_backend(path: Path, **_options: object) -> ScriptedBackend:
    """Return a backend that follows the rules of a file; those of a pipe are what its tokenizer read of it.

    Raises:
        ModelError: the file cannot be read, or a rule is wrong.
    """
    rules = _OF_PIPES.get(path) or _read_rules(path)

    def reply(request: Request) -> Completion:
        prompt = request.prompt.text
        rule = next((rule for rule in rules if rule.fits(request, prompt)), None)
        if rule is None:
            return Completion(request=request, error=f"no rule of {path} fits")
        return rule.answer(request, prompt)

    return ScriptedBackend(reply)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rule:
    """A line of a script."""

    id: str | None = None
    order: str | None = None
    matches: re.Pattern[str] | None = None
    reply: str = ""
    error: str | None = None
    seconds: float = 0.0
    finish_reason: str = "stop"

    def fits(self, request: Request, prompt: str) -> bool:
        return (
            self.id in {None, request.item_id}
            and self.order in {None, request.order}
            and (self.matches is None or self.matches.search(prompt) is not None)
        )

    def answer(self, request: Request, prompt: str) -> Completion:
        if self.seconds:
            time.sleep(self.seconds)
        text = self.reply.replace("{prompt}", prompt)
        settings = {"error": self.error, "finish_reason": self.finish_reason, "elapsed_s": self.seconds}
        return _completion(request, prompt, text, **settings)


# A pipe gives its rules once, to the tokenizer that a run opens first.
_OF_PIPES: dict[Path, Sequence[_Rule]] = {}


def _completion(request: Request, prompt: str, text: str, **more: Any) -> Completion:
    n_prompt, n_completion = len(prompt.split()), len(text.split())
    return Completion(
        request=request, text=text, n_prompt_tokens=n_prompt, n_completion_tokens=n_completion, **more
    )


def _read_rules(path: Path) -> Sequence[_Rule]:
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ModelError(f"{path}: cannot read the script ({reason})") from error
    rules = [_read_rule(f"{path}:{number}", line) for number, line in enumerate(lines, 1) if line.strip()]
    if not rules:
        raise ModelError(f'{path}: the script holds no rule; one looks like {{"reply": "8 6"}}')
    return rules


def _read_rule(where: str, line: str) -> _Rule:
    try:
        rule = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ModelError(f"{where}: a rule must be a JSON object ({error})") from error
    if not isinstance(rule, dict):
        raise ModelError(f"{where}: a rule must be a JSON object, not {line.strip():.40}")
    for key, value in rule.items():
        if key not in _KINDS:
            raise ModelError(f"{where}: unknown key {key!r} in a rule; there are {', '.join(_KINDS)}")
        is_of_kind = isinstance(value, _KINDS[key]) and not isinstance(value, bool)
        if not is_of_kind or not _ALLOWED.get(key, lambda _: True)(value):
            raise ModelError(f"{where}: {key} cannot be {value!r:.40}")
    try:
        return _Rule(**{**rule, "matches": _pattern(rule)})
    except (re.error, OverflowError, RecursionError) as error:
        raise ModelError(f"{where}: matches is no regular expression ({error})") from error


def _pattern(rule: dict[str, Any]) -> re.Pattern[str] | None:
    return re.compile(rule["matches"], re.DOTALL) if "matches" in rule else None
