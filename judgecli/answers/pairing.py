"""Join answer files: by id, by identical instruction, or by line; refuse what does not match."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from judgecli.answers.containers import short_place
from judgecli.answers.documents import with_one_question
from judgecli.answers.joining import (
    Joined,
    Joint,
    Key,
    hashed_id,
    instruction_key,
    key_name,
    merged_metadata,
    refuse_duplicates,
    refuse_other_turns,
    require_ids,
    response_key,
    same_documents,
)
from judgecli.answers.loaded import AnswerFile
from judgecli.answers.options import PairBy
from judgecli.answers.wording import counted, listed
from judgecli.errors import DataError
from judgecli.types import Response


def join(files: Sequence[AnswerFile], *, pair_by: PairBy, allow_missing: bool) -> Joint:
    """Join the rows of one file or more: an item for each key that every file has.

    Raises:
        DataError: Duplicates, rows that not every file has (unless `allow_missing`; nothing shared is always
            an error), rows without the key, or different instructions or turns under one key.
    """
    files, said = with_one_question(files, pair_by)
    paired_by = _resolve(files, pair_by)
    by_key = [_keyed(file, paired_by) for file in files]
    everywhere = [key for key in by_key[0] if all(key in rows for rows in by_key[1:])]
    names = _names(by_key)
    missing = tuple(tuple(name for key, name in names.items() if key not in rows) for rows in by_key)
    if not everywhere or (not allow_missing and any(missing)):
        n = f"{len(everywhere)} of {_n_of(files, paired_by)}"
        lacks = "; ".join([_lacks(files, missing), *_failed(files)])
        raise DataError(f"{n} shared; {lacks}; {_advice(files, paired_by, len(everywhere))}")
    shared = [tuple(rows[key] for rows in by_key) for key in everywhere]
    ids = _item_ids(files[0], [responses[0] for responses in shared], paired_by)
    items = tuple(
        Joined(id=i, responses=responses, metadata=merged_metadata(responses))
        for i, responses in zip(ids, shared, strict=True)
    )
    same = same_documents(items, [file.documents for file in files])
    refuse_other_turns(items, frozenset(same))
    notes = (*_notes(files, pair_by, paired_by), *said, *_one_document(same))
    return Joint(paired_by=paired_by, items=items, missing=missing, lone=_lone(by_key, names), notes=notes)


def _resolve(files: Sequence[AnswerFile], pair_by: PairBy) -> PairBy:
    """Return what to join by, having checked that every row has it, once."""
    if pair_by is PairBy.AUTO:
        all_have_ids = all(any(row.id is not None for row in file.responses) for file in files)
        pair_by = PairBy.ID if all_have_ids else PairBy.INSTRUCTION
    for file in files:
        if pair_by is PairBy.ID:
            require_ids(file.responses, file.file)
        if pair_by is PairBy.INSTRUCTION:
            _require_instructions(file, is_alone=len(files) == 1)
        refuse_duplicates(_keys(file, pair_by), file.responses, file.file, pair_by.value)
    return pair_by


def _require_instructions(file: AnswerFile, *, is_alone: bool) -> None:
    rows = enumerate(file.responses, 1)
    without = [short_place(row.source, index) for index, row in rows if row.instruction is None]
    if without:
        what, way_out = "to pair by", "--id-field, or choose --pair-by line"
        if is_alone:
            what, way_out = "to tell it by", "--id-field or --instruction-field"
        raise DataError(
            f"{file.file}: {counted(len(without), 'row')} with neither an id nor an instruction {what}: "
            f"{listed(without)}; name the field with {way_out}"
        )


def _keyed(file: AnswerFile, paired_by: PairBy) -> dict[Key, Response]:
    return dict(zip(_keys(file, paired_by), file.responses, strict=True))


def _keys(file: AnswerFile, paired_by: PairBy) -> list[Key]:
    if paired_by is PairBy.ID:
        return [row.id or "" for row in file.responses]
    if paired_by is PairBy.INSTRUCTION:
        return [response_key(row) for row in file.responses]
    return [f"row {n}" for n in range(1, len(file.responses) + 1)]


def _names(by_key: Sequence[dict[Key, Response]]) -> dict[Key, str]:
    """Return what to call each row, no two alike: instructions may differ in their input alone."""
    anywhere = dict.fromkeys(key for rows in by_key for key in rows)
    called = Counter(map(key_name, anywhere))
    return {
        key: key_name(key) if called[key_name(key)] == 1 else f"{key_name(key)} ({hashed_id(*key)})"
        for key in anywhere
    }


def _lone(by_key: Sequence[dict[Key, Response]], names: Mapping[Key, str]) -> dict[str, Joined]:
    """Return the rows that not every file has, by their names."""
    found = {}
    for key, name in names.items():
        rows = tuple(of_file[key] for of_file in by_key if key in of_file)
        if len(rows) < len(by_key):
            found[name] = Joined(id=name, responses=rows, metadata=merged_metadata(rows))
    return found


def _item_ids(first: AnswerFile, rows: Sequence[Response], paired_by: PairBy) -> list[str]:
    """Return unique ids: the first file's own, else row numbers by line, else hashes of the instruction."""
    own = [row.id for row in first.responses if row.id is not None]
    if len(set(own)) == len(first.responses):
        return [row.id or "" for row in rows]
    if paired_by is PairBy.LINE:
        return [str(n) for n in range(1, len(rows) + 1)]
    return [hashed_id(*response_key(row)) for row in rows]


def _n_of(files: Sequence[AnswerFile], paired_by: PairBy) -> str:
    noun = "row" if paired_by is PairBy.LINE else paired_by.value
    return counted(max(len(file.responses) for file in files), noun)


def _lacks(files: Sequence[AnswerFile], missing: Sequence[Sequence[str]]) -> str:
    if len(files) == 2:
        return f"only in baseline: {listed(missing[1])}; only in candidate: {listed(missing[0])}"
    lacking = [(file, keys) for file, keys in zip(files, missing, strict=True) if keys]
    return "; ".join(f"missing in {file.file}: {listed(keys)}" for file, keys in lacking)


def _failed(files: Sequence[AnswerFile]) -> Iterator[str]:
    for file in files:
        if file.failed:
            yield f"failed in {file.file}: {listed(file.failed)}"


def _advice(files: Sequence[AnswerFile], paired_by: PairBy, n_shared: int) -> str:
    if n_shared:
        return "--allow-missing judges the shared ones"
    if paired_by is PairBy.ID:
        asked = [{response_key(row) for row in file.responses} for file in files]
        n = len(set.intersection(*asked) - {instruction_key(None, None)})
        if n:
            where = "both" if len(files) == 2 else "all files"
            return f"{counted(n, 'instruction')} occur in {where}: try --pair-by instruction"
    names = " and ".join(file.file for file in files)
    return f"are {names} answers to the same questions?"


def _one_document(ids: Sequence[str]) -> Iterator[str]:
    if ids:
        n = counted(len(ids), "id")
        yield (
            f"the models were sent different prompts for the same document under {n}: {listed(ids)}; the "
            "shortest is shown to the judge (--instruction-field doc.question shows a field of the document)"
        )


def _notes(files: Sequence[AnswerFile], asked: PairBy, paired_by: PairBy) -> Iterator[str]:
    if len(files) == 1:
        return
    both = "both" if len(files) == 2 else "all"
    if asked is PairBy.AUTO and paired_by is PairBy.INSTRUCTION:
        yield f"paired by identical instruction, for not {both} files have ids"
    fields = [file.fields_used.get("id", "id") for file in files]
    if paired_by is PairBy.ID and len(set(fields)) > 1:
        read = (f"{field} of {file.file}" for field, file in zip(fields, files, strict=True))
        yield f"paired by ids of fields that are called differently: {' and '.join(read)}"
