"""A judge that says what a file or a function tells it to: for tests, and for trying a pipeline.

`--model scripted:rules.jsonl` reads one rule a line; the first that fits a request answers it:

    {"id": "q1", "order": "AB", "matches": "regex over the prompt", "reply": "8 6"}

`id`, `order` and `matches` are conditions (all optional). `reply` is the completion, in which `{prompt}`
stands for the prompt itself; `error` fails the request instead; `seconds` waits first; `finish_reason` may be
"length".
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from judgecli.errors import DataError
from judgecli.types import Completion, Prompt, Request

_CONDITIONS = {"id", "order", "matches"}
_ACTIONS = {"reply", "error", "seconds", "finish_reason"}


class WordTokenizer:
    """Counts words; stands in for a model's tokenizer."""

    n_ctx_train: int | None = None
    # lets families that need a chat template be rendered
    chat_template: str | None = (
        "{% for m in messages %}<{{ m.role }}>{{ m.content }}</{{ m.role }}>{% endfor %}<assistant>"
    )

    def encode(self, prompt: Prompt) -> list[list[int]]:
        """Return one unit that holds a number for each word."""
        return [list(range(len(prompt.text.split())))]


@contextmanager
def open_tokenizer(_path: Path) -> Iterator[WordTokenizer]:
    """Return the word counter; a script has no vocabulary of its own."""
    yield WordTokenizer()


def describe(**_options: object) -> dict[str, Any]:
    """Return what a run header records: the name; there is nothing else."""
    return {"name": "scripted", "device": "none"}


class ScriptedBackend:
    """Answers each request with `reply(request)`: a completion's text, or a whole completion."""

    def __init__(self, reply: Callable[[Request], str | Completion]) -> None:
        """Take the function that plays the judge."""
        self._reply = reply
        self.n_calls = 0

    @property
    def settings(self) -> Mapping[str, Any]:
        """Name the backend; there is nothing else to record."""
        return describe()

    def judge(self, requests: Iterable[Request]) -> Iterator[Completion]:
        """Answer requests one after the other."""
        for request in requests:
            started = time.perf_counter()
            self.n_calls += 1
            answer = self._reply(request)
            if isinstance(answer, Completion):
                yield answer
                continue
            yield Completion(
                request=request,
                text=answer,
                n_prompt_tokens=len(request.prompt.text.split()),
                n_completion_tokens=len(answer.split()),
                elapsed_s=time.perf_counter() - started,
            )

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
    """Return a backend that follows the rules of a file.

    Raises:
        DataError: the file cannot be read, or a rule is wrong.
    """
    rules = _read_rules(path)

    def reply(request: Request) -> str | Completion:
        for rule in rules:
            if _fits(rule, request):
                time.sleep(rule.get("seconds", 0))
                text = rule.get("reply", "").replace("{prompt}", request.prompt.text)
                finish_reason = rule.get("finish_reason", "stop")
                return Completion(
                    request=request, text=text, error=rule.get("error"), finish_reason=finish_reason
                )
        return Completion(request=request, error=f"no rule of {path} fits")

    return ScriptedBackend(reply)


def _fits(rule: Mapping[str, Any], request: Request) -> bool:
    return (
        rule.get("id", request.pair_id) == request.pair_id
        and rule.get("order", request.order) == request.order
        and re.search(rule.get("matches", ""), request.prompt.text, re.DOTALL) is not None
    )


def _read_rules(path: Path) -> list[Mapping[str, Any]]:
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{path}: cannot read the script ({error})") from error
    rules = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            rule = json.loads(line)
            unknown = set(rule) - _CONDITIONS - _ACTIONS
            re.compile(rule.get("matches", ""))
        except (ValueError, TypeError, AttributeError, re.error) as error:
            raise DataError(f"{path}:{number}: not a rule ({error})") from error
        if unknown:
            raise DataError(f"{path}:{number}: unknown key {min(unknown)!r} in a rule")
        rules.append(rule)
    return rules
