"""From options to items: read, join, ask, refer, select, and report on all of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain

from judgecli.answers.files import split_choice
from judgecli.answers.joining import Joined, Joint, counted_items
from judgecli.answers.kept import refuse_disagreements, require_fields
from judgecli.answers.keyed import KeyedFile
from judgecli.answers.loaded import AnswerFile, LoadedAnswers, PairedInput
from judgecli.answers.missing import fields_of_missing
from judgecli.answers.options import AnswersOptions, InputOptions, LoadingOptions
from judgecli.answers.pairing import join
from judgecli.answers.questions import Asked, ask, read_questions
from judgecli.answers.reading import lone_part, read_parts
from judgecli.answers.references import Texts, find_references, flag_missing
from judgecli.answers.reporting import Inputs, fields_used, pairing_report, report_on
from judgecli.answers.seating import seat
from judgecli.answers.selecting import check_selection, select, selection
from judgecli.answers.texts import has_image
from judgecli.answers.turns import turn_index
from judgecli.errors import DataError, NoPairsError, UsageError
from judgecli.types import LETTERS, Item, Response
from judgecli.types.pipes import check_stdin

IMAGE_NOT_SEEN = "image-not-seen"
_OPTIONAL = ("instruction", "input", "reference", "model")  # roles that a file may lack


def load_pairs(options: InputOptions) -> PairedInput:
    """Read the answer files and everything beside them into pairs.

    Raises:
        DataError: A file is missing, damaged, empty or cannot be paired.
        UsageError: Options that contradict each other or the kind of file; `NoPairsError` for one file
            that holds no pairs.
    """
    given = [options.baseline] if options.candidate is None else [options.baseline, options.candidate]
    files = _read_pair(given, options)
    if len(files) == 1 and not files[0].pair_rows:
        raise NoPairsError(f"{files[0].file}: holds one answer a row; give the candidate's file as well")
    for file in files if len(files) == 2 else ():
        if file.pair_rows:
            raise UsageError(
                f"{file.file}: holds both answers already ({file.format}); give it alone, or choose one of "
                "its answers with --response-field"
            )
    joint = seat(files[0], options.seed) if len(files) == 1 else _join(files, options)
    items, inputs = _complete(files, joint, options)
    return PairedInput(pairs=items, report=pairing_report(report_on(inputs, items)))


def _read_pair(paths: Sequence[str], options: LoadingOptions) -> list[AnswerFile]:
    """Return the answer files; a lone one may hold the answers of two models."""
    if len(paths) > 1:
        return _read(paths, options)
    _check(paths, options)
    parts = _read_parts(paths[0], options)
    return parts if len(parts) == 2 else [lone_part(parts)]


def load_answers(options: AnswersOptions) -> LoadedAnswers:
    """Read one answer file and everything beside it into items of one answer each.

    Raises:
        DataError: A file is missing, damaged or empty, ids are duplicated, or questions are missing.
        UsageError: Not one file, one of pairs, or options that contradict each other.
    """
    if len(options.files) != 1:
        raise UsageError(f"one answer file is graded, not {len(options.files)}")
    return _load(options, "judge pair compares its answers")


def load_many(options: AnswersOptions) -> LoadedAnswers:
    """Read several answer files and everything beside them into items of an answer a file.

    Raises:
        DataError: A file is missing, damaged or empty, or the files cannot be joined.
        UsageError: Fewer than 2 files or more than 19, one of pairs, or options that contradict each other.
    """
    if not 2 <= len(options.files) <= len(LETTERS):
        raise UsageError(f"2 to {len(LETTERS)} answer files are compared, not {len(options.files)}")
    return _load(options, "judge pair takes it alone")


def _load(options: AnswersOptions, advice: str) -> LoadedAnswers:
    files = _read(options.files, options)
    for file in files:
        if file.pair_rows:
            raise UsageError(
                f"{file.file}: holds two answers a row ({file.format}); {advice}, or choose one of them with "
                "--response-field"
            )
    items, inputs = _complete(files, _join(files, options), options)
    return LoadedAnswers(items=items, report=report_on(inputs, items))


def _read(paths: Sequence[str], options: LoadingOptions) -> list[AnswerFile]:
    """Return the answer files, having checked the options before any is opened."""
    _check(paths, options)
    return [lone_part(_read_parts(path, options)) for path in paths]


def _check(paths: Sequence[str], options: LoadingOptions) -> None:
    """Raise UsageError for options that contradict each other or mean nothing."""
    inputs = filter(None, (*paths, options.reference, options.questions))
    check_stdin(split_choice(name)[0] for name in inputs)
    if options.no_reference and options.reference is not None:
        raise UsageError("--reference and --no-reference contradict each other; give one of them")
    check_selection(options)
    if options.turn is not None:
        turn_index(options.turn)


def _read_parts(path: str, options: LoadingOptions) -> list[AnswerFile]:
    return read_parts(
        path,
        format_in=options.format_in,
        fields=options.fields,
        turn=options.turn,
        has_questions=options.has_questions,
    )


def _join(files: Sequence[AnswerFile], options: LoadingOptions) -> Joint:
    return join(files, pair_by=options.pair_by, allow_missing=options.allow_missing)


def _complete(
    files: Sequence[AnswerFile], joint: Joint, options: LoadingOptions
) -> tuple[tuple[Item, ...], Inputs]:
    """Return the items with their questions and references, and everything that was read for them."""
    questions = read_questions(options.questions, options.fields, joint.items) if options.questions else None
    asked = ask(joint.items, questions)
    refuse_disagreements(joint.items, [one.metadata for one in asked], options.fields)
    by_turn = any(file.turn is not None for file in files)
    references = find_references(joint.items, options, by_turn=by_turn)
    items = [_item(*row) for row in zip(joint.items, asked, references.texts, strict=True)]
    selected = flag_missing(select(items, options), allowed=options.allow_missing_reference)
    keyed = tuple(file for file in (questions, references.file) if file)
    _require_named_fields(options, files, keyed)
    require_fields(selected, options.fields, chain.from_iterable(file.fields_there for file in files))
    notes = chain(
        chain.from_iterable(file.notes for file in files),
        joint.notes,
        references.notes,
        selection(items, options),
        _images(selected),
    )
    inputs = Inputs(
        files=tuple(files),
        keyed=keyed,
        joint=joint,
        fields_of_missing=fields_of_missing(joint.lone, questions, options.fields),
        notes=tuple(dict.fromkeys(notes)),
    )
    return selected, inputs


def _item(joined: Joined, asked: Asked, references: Texts) -> Item:
    extra = {key: value for key, value in asked.metadata.items() if key not in joined.metadata}
    metadata = {**joined.metadata, **extra}
    return Item(
        id=joined.id,
        instruction=asked.instruction,
        input=asked.input,
        responses=tuple(map(_without_earlier, joined.responses)),
        reference=references[-1],
        earlier_instructions=asked.earlier,
        earlier_references=references[:-1],
        metadata=metadata,
        flags=(IMAGE_NOT_SEEN,) if has_image(metadata) else (),
    )


def _without_earlier(response: Response) -> Response:
    """Drop what the item says for all its answers, so that it is not written once more with each."""
    if not response.earlier_instructions and not response.earlier_references:
        return response
    return replace(response, earlier_instructions=(), earlier_references=())


def _images(items: Sequence[Item]) -> Iterator[str]:
    n = sum(IMAGE_NOT_SEEN in item.flags for item in items)
    if n:
        yield f"{n} of {counted_items(items)} come with an image, which the judge does not see"


def _require_named_fields(
    options: LoadingOptions, files: Sequence[AnswerFile], keyed: Sequence[KeyedFile]
) -> None:
    """Raise DataError for a field the user named that is in none of the files: a misspelling."""
    used = {path for fields in fields_used(files, keyed).values() for path in fields.values()}
    for role, paths in options.fields.named():
        if role in _OPTIONAL and used.isdisjoint(paths):
            names = " or ".join(map(repr, paths))
            raise DataError(f"{files[0].file}: no row of any input has the field {names} (--{role}-field)")
