"""What is in answer files as lines for people: reads at 40 columns and up; only names may be longer."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import typer

from judgecli.answers import Answers, Inspected, Joining
from judgecli.answers.wording import counted, listed, shown
from judgecli.cli.console import printable
from judgecli.reports.terminal import fill
from judgecli.types import LETTERS

_MIN_WIDTH = 30
_LABEL = 13
_N_NAMES = 3

# a label, and the phrases that are put beside it
Row = tuple[str, Sequence[str]]


class _Block(NamedTuple):
    """What is said under one title."""

    title: str
    rows: Sequence[Row]
    notes: Sequence[str]
    problems: Sequence[str]


def inspection_lines(
    found: Sequence[Inspected], joining: Joining | None, width: int, *, color: bool
) -> Iterator[str]:
    """Yield a block for each set of answers, and one on how they go together."""
    width = max(width, _MIN_WIDTH)

    def styled(text: str, **style: str | bool) -> str:
        return typer.style(text, **style) if color else text  # type: ignore[arg-type]

    blocks = [_block(one) for one in found] + ([] if joining is None else [_joining_block(joining)])
    for number, block in enumerate(blocks):
        if number:
            yield ""
        yield styled(printable(block.title), bold=True)
        for label, phrases in block.rows:
            for index, line in enumerate(fill(map(printable, phrases), width - _LABEL)):
                yield styled(("" if index else label).ljust(_LABEL), fg="cyan") + line
        for note in block.notes:
            yield from _marked("-", note, block.title, width)
        for problem in block.problems:
            for line in _marked("!", problem, block.title, width):
                yield styled(line, fg="yellow")


def _marked(mark: str, sentence: str, title: str, width: int) -> Iterator[str]:
    """Yield a sentence's lines after a mark; the file that the title names is not named once more."""
    text = printable(sentence).removeprefix(f"{printable(title)}: ")
    lines = textwrap.wrap(text, width - 2, break_long_words=False, break_on_hyphens=False)
    for index, line in enumerate(lines):
        yield f"  {line}" if index else f"{mark} {line}"


def _block(one: Inspected) -> _Block:
    problems = one.problems if one.problem is None else (one.problem,)
    return _Block(one.file, tuple(_rows(one)), one.notes, problems)


def _joining_block(joining: Joining) -> _Block:
    problems = () if joining.problem is None else (joining.problem,)
    return _Block("together", tuple(_joining_rows(joining)), joining.notes, problems)


def _rows(one: Inspected) -> Iterator[Row]:
    if one.problem is not None:
        return
    stored = f" ({one.container})" if one.container else ""
    yield "format", [f"{one.format}{stored}"]
    if one.fields:
        yield "fields", [_field(role, path) for role, path in one.fields.items()]
    yield "rows", [f"{one.n_rows:,}", *_failed(one)]
    yield "ids", list(_ids(one))
    if one.answers:
        yield "questions", [_share(one.n_with_question, one.n_rows)]
        yield "references", [_share(one.n_with_reference, one.n_rows)]
        yield "turns", list(_turns(one))
    for letter, answers in zip(LETTERS, one.answers, strict=False):
        yield from _answer_rows(answers, "" if len(one.answers) == 1 else f" {letter}")
    if one.labels:
        yield "labels", [f"{label} {n:,}" for label, n in one.labels.items()]


def _field(role: str, path: str) -> str:
    name = role.replace("_", " ")
    return name if role == path else f"{name} is {shown(path)}"


def _failed(one: Inspected) -> Iterator[str]:
    if one.failed:
        yield f"{counted(len(one.failed), 'id')} without an answer: {listed(one.failed, _N_NAMES)}"


def _ids(one: Inspected) -> Iterator[str]:
    if not one.n_ids:
        yield "none"
        return
    yield f"{one.n_ids:,} different"
    if one.duplicated:
        yield f"{len(one.duplicated):,} more than once: {listed(one.duplicated, _N_NAMES)}"
    if one.n_without_id:
        yield f"{counted(one.n_without_id, 'row')} without"


def _share(n: int, n_rows: int) -> str:
    return "none" if not n else "all" if n == n_rows else f"{n:,} of {n_rows:,}"


def _turns(one: Inspected) -> Iterator[str]:
    for n_turns, n in one.turns.items():
        yield f"{n_turns}" if len(one.turns) == 1 else f"{n_turns} in {counted(n, 'row')}"
    if one.turn is not None:
        yield f"judged is {one.turn if one.turn.isalpha() else f'turn {one.turn}'}"


def _answer_rows(answers: Answers, suffix: str) -> Iterator[Row]:
    yield f"model{suffix}", [listed(answers.models) if answers.models else "not named"]
    kinds = (
        ("empty", answers.empty),
        ("only thinking", answers.only_thinking),
        ("cut off", answers.cut_off),
    )
    said = [f"{len(ids):,} {kind}: {listed(ids, _N_NAMES)}" for kind, ids in kinds if ids]
    yield f"answers{suffix}", said or ["none empty or cut off"]
    lengths = answers.characters
    yield (
        f"length{suffix}",
        [f"{lengths.minimum:,} to {lengths.maximum:,} characters", f"median {lengths.median:,.0f}"],
    )


def _joining_rows(joining: Joining) -> Iterator[Row]:
    if joining.paired_by is None:
        return
    yield "joined", [f"by {joining.paired_by}", f"{joining.n_shared:,} in all files"]
    for file, ids in zip(joining.files, joining.missing, strict=True):
        if ids:
            yield "missing", [f"{len(ids):,} in {file}: {listed(ids, _N_NAMES)}"]
