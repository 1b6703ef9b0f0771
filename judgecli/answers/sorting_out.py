"""What formats share that hold more rows than answers: groups to choose from, and answers that failed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from judgecli.answers.containers import Row
from judgecli.answers.files import CHOICE
from judgecli.answers.paths import MISSING, look_up
from judgecli.answers.texts import id_text
from judgecli.answers.wording import counted, listed, shown
from judgecli.errors import DataError


def grouped(rows: Iterable[Row], name: Callable[[Row], str]) -> dict[str, list[Row]]:
    """Return rows by the name of their group, in the order of the groups' first rows."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(name(row), []).append(row)
    return groups


def chosen(groups: Mapping[str, Sequence[Row]], choice: str | None, noun: str, file: str) -> str:
    """Return the group that the user chose, else the first.

    Raises:
        DataError: there is no such group.
    """
    if choice is None:
        return next(iter(groups))
    if choice in groups:
        return choice
    there = f"there {'is' if len(groups) == 1 else 'are'} {listed(groups, 12)}"
    what = f"no {noun} is called so" if choice else f"{CHOICE} names no {noun}"
    raise DataError(f"{file}{CHOICE}{shown(choice)}: {what}; {there}")


def nothing_to_choose(file: str, holds: str, choice: str) -> DataError:
    """Return the error for a choice from a file in which there is none; `holds` says what such files hold."""
    return DataError(f"{file}: {holds}, so {CHOICE}{shown(choice)} chooses nothing; leave it out")


def one_set(name: str) -> str:
    """Return what is said of the files of a format that hold the answers of one model."""
    return f"{name} files hold one set of answers"


def text_at(row: Row, path: str) -> str:
    """Return a small value of a row as text; "" where it is absent, null, a list or an object."""
    value = look_up(row.value, path)
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, str) else ""


def without_failures(
    rows: Iterable[Row], id_path: str, why: Callable[[Row], str | None]
) -> tuple[list[Row], list[str], list[str]]:
    """Return the rows with an answer, the ids of the others, and for the first few of those what went wrong.

    `why` says of a row why it has no answer, None where it has one.
    """
    kept, failed, reasons = [], [], []
    for row in rows:
        reason = why(row)
        if reason is None:
            kept.append(row)
            continue
        found = look_up(row.value, id_path)
        name = (None if found is MISSING else id_text(found)) or row.where
        failed.append(name)
        reasons.append(f"{shown(name)} ({shown(reason)})" if reason else shown(name))
    return kept, failed, reasons


def failures_said(file: str, n_rows: int, reasons: Sequence[str], noun: str) -> tuple[str, ...]:
    """Return the note on answers that failed; none for n = 0."""
    if not reasons:
        return ()
    n = f"{len(reasons)} of {counted(n_rows, noun)}"
    why = listed(reasons, 3, n_characters=200)
    return (f"{file}: {n} failed and have no answer, as if they were not there: {why}",)


def several_said(file: str, n_rows: int, path: str) -> tuple[str, ...]:
    """Return the note on rows that hold several answers, of which the first is read; none for n = 0."""
    if not n_rows:
        return ()
    return (f"{file}: {counted(n_rows, 'row')} with several answers; the first is judged ({path})",)


def message_of(error: Any) -> str:
    """Return what an error says of itself: a text, or an object with a message or a code; "" for neither."""
    if isinstance(error, Mapping):
        said = (error.get(name) for name in ("message", "code", "type"))
        return next((str(text) for text in said if isinstance(text, str) and text), "")
    return str(error) if isinstance(error, str) else ""
