"""Join two answer files: by id, by identical instruction, or by line; refuse what does not match."""

from __future__ import annotations

from collections.abc import Sequence

from judgecli.answers.containers import short_place
from judgecli.answers.joining import (
    Joined,
    Joint,
    Key,
    hashed_id,
    instruction_key,
    key_name,
    merged_metadata,
    refuse_duplicates,
    require_ids,
)
from judgecli.answers.options import AnswerFile, PairBy
from judgecli.answers.wording import counted, listed
from judgecli.errors import DataError
from judgecli.types import Response


def join(a: AnswerFile, b: AnswerFile, *, pair_by: PairBy, allow_missing: bool) -> Joint:
    """Pair the rows of two files.

    Raises:
        DataError: Duplicates, rows on one side only (unless `allow_missing`; nothing shared is always
            an error), rows without the key, or two instructions under one key.
    """
    paired_by = _resolve(a, b, pair_by)
    by_key_a, by_key_b = _keyed(a, paired_by), _keyed(b, paired_by)
    only_a = tuple(key_name(key) for key in by_key_a if key not in by_key_b)
    only_b = tuple(key_name(key) for key in by_key_b if key not in by_key_a)
    n_shared = len(by_key_a) - len(only_a)
    if n_shared == 0 or (not allow_missing and (only_a or only_b)):
        raise DataError(
            f"{n_shared} of {_n_of(a, b, paired_by)} shared; only in baseline: {listed(only_a)}; "
            f"only in candidate: {listed(only_b)}; {_advice(a, b, paired_by, n_shared)}"
        )
    shared = [(row, by_key_b[key]) for key, row in by_key_a.items() if key in by_key_b]
    ids = _pair_ids(a, shared, paired_by)
    pairs = tuple(
        Joined(id=i, a=x, b=y, metadata=merged_metadata(x, y)) for i, (x, y) in zip(ids, shared, strict=True)
    )
    _refuse_different_instructions(pairs)
    return Joint(
        paired_by=paired_by, pairs=pairs, only_in_a=only_a, only_in_b=only_b, notes=_notes(pair_by, paired_by)
    )


def _resolve(a: AnswerFile, b: AnswerFile, pair_by: PairBy) -> PairBy:
    """Return what to pair by, having checked that every row has it, once."""
    if pair_by is PairBy.AUTO:
        both_have_ids = all(any(row.id is not None for row in side.responses) for side in (a, b))
        pair_by = PairBy.ID if both_have_ids else PairBy.INSTRUCTION
    for side in (a, b):
        if pair_by is PairBy.ID:
            require_ids(side.responses, side.file)
        if pair_by is PairBy.INSTRUCTION:
            _require_instructions(side)
        refuse_duplicates(_keys(side, pair_by), side.responses, side.file, pair_by.value)
    return pair_by


def _require_instructions(side: AnswerFile) -> None:
    rows = enumerate(side.responses, 1)
    without = [short_place(row.source, index) for index, row in rows if row.instruction is None]
    if without:
        raise DataError(
            f"{side.file}: {counted(len(without), 'row')} with neither an id nor an instruction to pair by: "
            f"{listed(without)}; name the field with --id-field, or choose --pair-by line"
        )


def _keyed(side: AnswerFile, paired_by: PairBy) -> dict[Key, Response]:
    return dict(zip(_keys(side, paired_by), side.responses, strict=True))


def _keys(side: AnswerFile, paired_by: PairBy) -> list[Key]:
    if paired_by is PairBy.ID:
        return [row.id or "" for row in side.responses]
    if paired_by is PairBy.INSTRUCTION:
        return [instruction_key(row.instruction, row.input) for row in side.responses]
    return [f"row {n}" for n in range(1, len(side.responses) + 1)]


def _pair_ids(a: AnswerFile, shared: Sequence[tuple[Response, Response]], paired_by: PairBy) -> list[str]:
    """Return unique ids: the baseline's own, else row numbers by line, else hashes of the instruction."""
    own = [row.id for row in a.responses if row.id is not None]
    if len(set(own)) == len(a.responses):
        return [row.id or "" for row, _ in shared]
    if paired_by is PairBy.LINE:
        return [str(n) for n in range(1, len(shared) + 1)]
    return [hashed_id(*instruction_key(row.instruction, row.input)) for row, _ in shared]


def _n_of(a: AnswerFile, b: AnswerFile, paired_by: PairBy) -> str:
    noun = "row" if paired_by is PairBy.LINE else paired_by.value
    return counted(max(len(a.responses), len(b.responses)), noun)


def _advice(a: AnswerFile, b: AnswerFile, paired_by: PairBy, n_shared: int) -> str:
    if n_shared:
        return "--allow-missing judges the shared ones"
    if paired_by is PairBy.ID:
        instructions_a = {instruction_key(row.instruction, row.input) for row in a.responses}
        instructions_b = {instruction_key(row.instruction, row.input) for row in b.responses}
        n = len((instructions_a & instructions_b) - {instruction_key(None, None)})
        if n:
            return f"{counted(n, 'instruction')} occur in both: try --pair-by instruction"
    return f"are {a.file} and {b.file} answers to the same questions?"


def _refuse_different_instructions(pairs: Sequence[Joined]) -> None:
    different = [
        f"{pair.id}{_lines(pair)}"
        for pair in pairs
        if pair.a.instruction is not None
        and pair.b.instruction is not None
        and instruction_key(pair.a.instruction, pair.a.input)
        != instruction_key(pair.b.instruction, pair.b.input)
    ]
    if different:
        raise DataError(
            f"{pairs[0].a.source.file} and {pairs[0].b.source.file} ask different things under "
            f"{counted(len(different), 'id')}: {listed(different)}; are they answers to the same questions?"
        )


def _lines(pair: Joined) -> str:
    a, b = pair.a.source.line, pair.b.source.line
    return f" (lines {a} and {b})" if a is not None and b is not None else ""


def _notes(asked: PairBy, paired_by: PairBy) -> tuple[str, ...]:
    if asked is PairBy.AUTO and paired_by is PairBy.INSTRUCTION:
        return ("paired by identical instruction, for not both files have ids",)
    return ()
