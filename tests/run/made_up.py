"""Runs inside the process, with a judge that is a function."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from judgecli.answers import InputOptions
from judgecli.backends.scripted import ScriptedBackend
from judgecli.run import PairOptions, PreparedRun, execute, load_run, prepare_pair
from judgecli.types import Completion, Order, Request, RunRecord

RUN = Path("a-vs-b.judge.jsonl")
Reply = Callable[[Request], str | Completion]


def pair_options(backend: ScriptedBackend, **more: Any) -> PairOptions:
    """Return the options that judge a.jsonl and b.jsonl with JudgeLM's prompts."""
    own = {name: more.pop(name) for name in ("limit", "allow_missing") if name in more}
    source = InputOptions(baseline="a.jsonl", candidate="b.jsonl", **own)
    return PairOptions(input=source, backend=backend, prompt="judgelm", **more)


def words(n: int, word: str = "w") -> str:
    """Return a text of n tokens of the scripted judge's tokenizer."""
    return " ".join(f"{word}{k}" for k in range(n))


def by_seat(request: Request) -> str:
    return "8 6\n" if request.order == Order.AB else "6 8\n"


class Runs:
    """Runs of a.jsonl against b.jsonl, one after the other in the same file; `asked` is of the last one."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []

    def prepare(self, reply: Reply = by_seat, **more: Any) -> PreparedRun:
        self.asked = []

        def noted(request: Request) -> str | Completion:
            self.asked.append((request.item_id, request.order))
            return reply(request)

        return prepare_pair(pair_options(ScriptedBackend(noted), **more))

    def __call__(self, reply: Reply = by_seat, **more: Any) -> RunRecord:
        run = self.prepare(reply, **more)
        execute(run)
        return load_run(run.path)


def both(*ids: str) -> list[tuple[str, str]]:
    return [(item_id, order) for item_id in ids for order in ("AB", "BA")]
