"""From options to pairs: read, join, ask, refer, select, and report on all of it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from itertools import chain

from judgecli.answers.files import STDIN
from judgecli.answers.joining import Joined, Joint
from judgecli.answers.keyed import KeyedFile
from judgecli.answers.naming import one_file, two_files
from judgecli.answers.options import AnswerFile, InputOptions, PairedInput, PairingReport
from judgecli.answers.pairing import join
from judgecli.answers.questions import Asked, ask, read_questions
from judgecli.answers.reading import read_file
from judgecli.answers.references import find_references, flag_missing
from judgecli.answers.seating import seat
from judgecli.answers.wording import counted
from judgecli.errors import DataError, UsageError
from judgecli.types import Pair, Response

_CUT_REASONS = frozenset({"length", "max_tokens"})


def load_pairs(options: InputOptions) -> PairedInput:
    """Read the answer files and everything beside them into pairs.

    Raises:
        DataError: A file is missing, damaged, empty or cannot be paired.
        UsageError: Options that contradict each other or the kind of file.
    """
    _check(options)
    files = _read(options)
    joint = _join(files, options)
    questions = read_questions(options.questions, options.fields, joint.pairs) if options.questions else None
    asked = ask(joint.pairs, questions)
    references, reference_file, notes = find_references(joint.pairs, options)
    pairs = [_pair(*row) for row in zip(joint.pairs, asked, references, strict=True)]
    selected = flag_missing(_select(pairs, options), allowed=options.allow_missing_reference)
    keyed = [file for file in (questions, reference_file) if file]
    _require_named_fields(options, files, keyed)
    notes = [*chain.from_iterable(f.notes for f in files), *joint.notes, *notes, *_selection(pairs, options)]
    return PairedInput(pairs=selected, report=_report(files, keyed, joint, selected, notes))


def _check(options: InputOptions) -> None:
    paths = [options.baseline, options.candidate, options.reference, options.questions]
    if paths.count(STDIN) > 1:
        raise UsageError("stdin (-) can be read once; give it for one of the inputs only")
    if options.no_reference and options.reference is not None:
        raise UsageError("--reference and --no-reference contradict each other; give one of them")
    if options.limit is not None and options.limit < 1:
        raise UsageError(f"--limit {options.limit}: a run needs at least one pair")
    if options.sample and options.limit is None:
        raise UsageError("--sample needs --limit N, the number of pairs to draw")


def _read(options: InputOptions) -> list[AnswerFile]:
    """Return one file of pairs, or two of answers."""
    paths = [options.baseline] if options.candidate is None else [options.baseline, options.candidate]
    files = [read_file(path, format_in=options.format_in, fields=options.fields) for path in paths]
    if options.candidate is None and not files[0].pair_rows:
        raise UsageError(f"{files[0].file}: holds one answer a row; give the candidate's file as well")
    for file in files[: 0 if options.candidate is None else 2]:
        if file.pair_rows:
            raise UsageError(
                f"{file.file}: holds both answers already ({file.format}); give it alone, or choose one of "
                "its answers with --response-field"
            )
    return files


def _join(files: Sequence[AnswerFile], options: InputOptions) -> Joint:
    if len(files) == 1:
        return seat(files[0], options.seed)
    return join(files[0], files[1], pair_by=options.pair_by, allow_missing=options.allow_missing)


def _pair(joined: Joined, asked: Asked, reference: str | None) -> Pair:
    extra = {key: value for key, value in asked.metadata.items() if key not in joined.metadata}
    return Pair(
        id=joined.id,
        instruction=asked.instruction,
        input=asked.input,
        response_a=joined.a,
        response_b=joined.b,
        reference=reference,
        metadata={**joined.metadata, **extra},
    )


def _select(pairs: Sequence[Pair], options: InputOptions) -> Sequence[Pair]:
    """Return the first N pairs, or N drawn by a seeded hash of the id: a larger N keeps the smaller's."""
    if options.limit is None or not options.sample:
        return pairs[: options.limit]
    drawn = sorted(pairs, key=lambda pair: _lot(options.seed, pair.id))[: options.limit]
    kept = {pair.id for pair in drawn}
    return [pair for pair in pairs if pair.id in kept]


def _lot(seed: int, pair_id: str) -> bytes:
    return hashlib.sha256(f"sample:{seed}:{pair_id}".encode()).digest()


def _selection(pairs: Sequence[Pair], options: InputOptions) -> list[str]:
    if options.limit is None or options.limit >= len(pairs):
        return []
    how = f"drawn with seed {options.seed}" if options.sample else "the first"
    return [f"{options.limit} of {counted(len(pairs), 'pair')} ({how})"]


def _require_named_fields(
    options: InputOptions, files: Sequence[AnswerFile], keyed: Sequence[KeyedFile]
) -> None:
    """Raise DataError for a field the user named that is in none of the files: a misspelling."""
    used = {path for fields in _fields_used(files, keyed).values() for path in fields.values()}
    for role in ("instruction", "input", "reference", "model"):
        path = getattr(options.fields, role)
        if path is not None and path not in used:
            raise DataError(f"{files[0].file}: no row of any input has the field {path!r} (--{role}-field)")


def _report(
    files: Sequence[AnswerFile],
    keyed: Sequence[KeyedFile],
    joint: Joint,
    pairs: Sequence[Pair],
    notes: Sequence[str],
) -> PairingReport:
    model_a, model_b = one_file(files[0], joint.pairs) if len(files) == 1 else two_files(files[0], files[1])
    sides = [[pair.response_a for pair in pairs], [pair.response_b for pair in pairs]]
    ids = [pair.id for pair in pairs]
    (empty_a, cut_a), (empty_b, cut_b) = (_wanting(ids, side) for side in sides)
    without = tuple(pair.id for pair in pairs if pair.reference is None)
    return PairingReport(
        formats=tuple(f"{file.format} ({file.container})" for file in files),
        fields_used=_fields_used(files, keyed),
        model_a=model_a,
        model_b=model_b,
        paired_by=joint.paired_by,
        n_a=_n_rows(files[0]),
        n_b=_n_rows(files[-1]),
        only_in_a=joint.only_in_a,
        only_in_b=joint.only_in_b,
        empty_a=empty_a,
        empty_b=empty_b,
        truncated_a=cut_a,
        truncated_b=cut_b,
        n_with_reference=len(pairs) - len(without),
        missing_reference=without if len(without) < len(pairs) else (),
        notes=tuple(notes),
    )


def _fields_used(files: Sequence[AnswerFile], keyed: Sequence[KeyedFile]) -> dict[str, Mapping[str, str]]:
    """Return the fields by file; one file may serve as questions and as references."""
    used: dict[str, Mapping[str, str]] = {}
    for name, fields in [(f.file, f.fields_used) for f in files] + [(f.file, f.fields_used) for f in keyed]:
        used[name] = {**used.get(name, {}), **fields}
    return used


def _n_rows(file: AnswerFile) -> int:
    return len(file.responses) or len(file.pair_rows)


def _wanting(ids: Sequence[str], side: Sequence[Response]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the ids of empty answers, and of answers cut off by a length limit."""
    rows = list(zip(ids, side, strict=True))
    empty = tuple(i for i, response in rows if response.is_empty)
    cut = tuple(i for i, response in rows if response.finish_reason in _CUT_REASONS)
    return empty, cut
