"""What `judge chat` does: open the conversation, take questions, write answers as they come."""

import json
import sys
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import asdict
from typing import Any

import typer

from judgecli.cli.console import complain, say, warn, write
from judgecli.cli.exits import INTERRUPTED
from judgecli.cli.options import Form
from judgecli.cli.values import member
from judgecli.errors import JudgeError, UsageError
from judgecli.run import Conversation, ConversationOptions, open_conversation
from judgecli.run.judged import Judged
from judgecli.run.standing import Whose
from judgecli.types import EngineOptions

_PROMPT = "> "
_LEAVE = "exit"
# with the joiners that words and emoji are written with; no other invisible character goes to a terminal
_KEPT = frozenset("\n\t\u200c\u200d")
_SAME = (
    "item_id",
    "order",
    "model",
    "prompt",
    "template",
    "rubric",
    "shots",
    "max_tokens",
    "n_ctx",
    "verbose",
)


def run_chat(values: Mapping[str, Any]) -> None:
    """Carry out `judge chat` with its parameters by name.

    Raises:
        JudgeError: with a sentence for the user.
        typer.Exit: interrupted.
    """
    form, asked = values["form"], values["ask"]
    is_typed = asked is None and sys.stdin.isatty()
    _check(form, asked, is_typed=is_typed)
    engine = EngineOptions(n_threads=values["threads"], n_gpu_layers=values["n_gpu_layers"])
    given = {name: values[name] for name in _SAME}
    given["judge"] = None if values["judge"] is None else member("--judge", Whose, values["judge"])
    try:
        with open_conversation(
            ConversationOptions(run_file=values["run"], engine=engine, **given)
        ) as open_one:
            if not values["quiet"]:
                for line in (*_opening(open_one), *(_typing(open_one) if is_typed else ())):
                    say(line)
            if is_typed:
                _converse(open_one)
            else:
                _answer_all(open_one, asked or _lines(), form)
    except KeyboardInterrupt as error:
        complain("interrupted")
        raise typer.Exit(INTERRUPTED) from error


def _check(form: Form, asked: Iterable[str] | None, *, is_typed: bool) -> None:
    """Refuse what no conversation could be held with, while no weights are loaded."""
    if form is Form.MARKDOWN:
        raise UsageError("--format must be terminal or json here: a conversation has no report")
    if form is Form.JSON and is_typed:
        raise UsageError("--format json needs --ask, or questions on stdin; add one")
    if not all(map(str.strip, asked or ())):
        raise UsageError("--ask is empty; give it a question")


def _opening(open_one: Conversation) -> Iterator[str]:
    """Yield what is talked about, with whom, and what the judge cannot know."""
    judged = open_one.judged
    judgment, header = judged.judgment, judged.header
    about = f"{judgment.item_id} in the order {judgment.order}{_seats(judgment.order)}"
    yield f"{about}: {_outcome(open_one)}{_whose(judged)}"
    family = judged.recorded("prompt", "family")
    sizes = f"{open_one.n_tokens():,} of {open_one.n_ctx:,} tokens of context taken"
    if open_one.counts_words:
        sizes = f"about {open_one.n_tokens():,} words so far"
    yield f"judge {open_one.judge}, prompt {family}, {sizes}"
    if judged.is_torn:
        yield f"note: the last line of {judged.run_file} was cut off and is ignored"
    if open_one.is_other:
        name, sha256 = (judged.recorded("model", what) for what in ("name", "sha256"))
        weights = f"{name} (SHA-256 {sha256!s:.12})" if sha256 else name
        yield f"note: {open_one.judge} is another judge than {weights}, whose verdict and reasons it is shown"
    if not judgment.text.strip():
        yield "note: there is no text of the judge's, only the prompt"
    elif not judged.has_reasons:
        hint = f"`judge {header.get('mode', 'pair')} --reasons` has them written"
        yield f"note: the judge wrote no reasons in this run, only its verdict; {hint}"


def _seats(order: str) -> str:
    """Say whose answer the judge saw where: what it calls A is the first one, whoever's that was."""
    first, *later = (f"{letter}'s" for letter in order)
    return f" ({first} answer first, then {' and '.join(later)})" if later else ""


def _outcome(open_one: Conversation) -> str:
    judgment = open_one.judged.judgment
    if judgment.failure is not None:
        return f"failed, {judgment.failure.replace('_', ' ')} ({judgment.detail})"
    scores = ", ".join(f"{letter} {score:g}" for letter, score in sorted(judgment.scores.items()))
    winner = f"winner {judgment.winner}" if judgment.winner else ""
    return ", ".join(filter(None, (winner, f"scores {scores}" if scores else "")))


def _whose(judged: Judged) -> str:
    """Say whose judgment it is where two judges were to look at the pair."""
    handed = judged.handed_on
    if handed is None:
        return ""
    if judged.whose is Whose.STRONGER:
        return f", by {handed.stronger}, to which {handed.first} handed the pair on"
    stands = "whose verdict stands" if handed.is_answered else "which has not answered yet"
    return f", by {handed.first}, which handed the pair on to {handed.stronger}, {stands}"


def _typing(open_one: Conversation) -> Iterator[str]:
    """Yield what a person at a terminal wants to see before asking."""
    wrote = shown(open_one.judged.judgment.text).strip()
    if wrote:
        yield "the judge wrote:"
        yield from (f"  {line}" for line in wrote.split("\n"))
    yield f"ask about it; Ctrl-C stops an answer, Ctrl-D or `{_LEAVE}` ends the conversation"


def _lines() -> Iterator[str]:
    """Yield the lines of stdin that hold a question."""
    yield from filter(None, map(str.strip, sys.stdin))


def _answer_all(open_one: Conversation, questions: Iterable[str], form: Form) -> None:
    is_json = form is Form.JSON
    for number, question in enumerate(questions):
        # an answer may have several lines, so the end of one would not part it from the next
        _answer(open_one, question, parting="\n" if number else "", is_shown=not is_json)
    if not open_one.exchanges:
        raise UsageError("no question was asked; give one with --ask, or a line each on stdin")
    if is_json:
        write(json.dumps(_facts(open_one), indent=2, allow_nan=False) + "\n")


def _answer(open_one: Conversation, question: str, *, parting: str = "", is_shown: bool = True) -> None:
    """Write an answer as it comes, after `parting`, and say what cut it.

    Raises:
        ModelError: the conversation does not fit into the context any more.
    """
    n_tokens = open_one.n_tokens(question)
    room = open_one.n_ctx - n_tokens
    with closing(open_one.ask(question)) as pieces:
        if room < open_one.max_tokens:
            sizes = f"the conversation has {n_tokens:,} tokens and the context {open_one.n_ctx:,}"
            warn(f"{sizes}, so this answer can have {room:,}; then begin a new one")
        if is_shown:
            write(parting)
        for piece in pieces:
            if is_shown:
                write(shown(piece))
    if is_shown:
        write("\n")
    last = open_one.exchanges[-1]
    if last.finish_reason == "length":
        is_full = room < open_one.max_tokens
        why = "the context is full" if is_full else f"--max-tokens {open_one.max_tokens} is reached"
        warn(f"the answer was cut, {why}")
    elif not last.answer:
        warn("the judge wrote nothing")


def _converse(open_one: Conversation) -> None:
    """Take questions from a terminal until it is left, or nothing fits any more."""
    with suppress(ImportError):  # line editing and history; Windows has no readline
        import readline  # noqa: F401

    while (question := _typed()) is not None:
        if not question:
            continue
        try:
            _answer(open_one, question)
        except KeyboardInterrupt:
            write("\n")  # the answer's own line ends here
            say("stopped; what is written so far stays part of the conversation")
        except JudgeError as error:
            complain(str(error))
        if open_one.n_tokens() >= open_one.n_ctx:
            say(open_one.full(open_one.n_tokens()))
            return


def _typed() -> str | None:
    """Return the next line, "" where it was given up, None at the end."""
    try:
        line = _read_line()
    except KeyboardInterrupt:
        say("")
        return ""
    if not line.endswith("\n"):
        say("")  # the shell's prompt would stand beside ours
    question = line.strip()
    return None if not line or question == _LEAVE else question


def _read_line() -> str:
    """Return a line with its end, "" where the input has ended."""
    if not sys.stdout.isatty():  # `input` would write its prompt among the answers
        say(_PROMPT, end="")
        return sys.stdin.readline()
    try:
        return f"{input(_PROMPT)}\n"
    except EOFError:
        return ""


def _facts(open_one: Conversation) -> dict[str, Any]:
    judged = open_one.judged
    judgment = judged.judgment
    return {
        "id": judgment.item_id,
        "order": judgment.order,
        "model": open_one.judge,
        "judged_by": judged.recorded("model", "name"),
        "handed_on_to": judged.handed_on.stronger if judged.handed_on else None,
        "prompt": judged.recorded("prompt", "family"),
        "run_file": str(judged.run_file),
        "winner": judgment.winner,
        "scores": dict(judgment.scores),
        "failure": judgment.failure,
        "judgment_text": judgment.text,
        "n_ctx": open_one.n_ctx,
        "questions": [asdict(one) for one in open_one.exchanges],
    }


def shown(text: str) -> str:
    """Return a model's text as a terminal may have it: lines and tabs stay, nothing in it can drive one."""
    return "".join(map(_shown, text))


def _shown(character: str) -> str:
    if character.isprintable() or character in _KEPT:
        return character
    if character == "\r":  # it would overwrite the line's beginning
        return ""
    if unicodedata.category(character) == "Zs":  # wide and unbreakable blanks
        return character
    return character.encode("unicode_escape", "surrogatepass").decode()
