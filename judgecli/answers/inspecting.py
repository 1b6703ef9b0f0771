"""What is in answer files, before anything is judged: fields, ids, lengths, problems; and how they join."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from statistics import median

from judgecli.answers.files import split_choice
from judgecli.answers.joining import Joined, Joint
from judgecli.answers.labels import read_label_file
from judgecli.answers.loaded import AnswerFile
from judgecli.answers.options import LoadingOptions, PairBy
from judgecli.answers.pairing import join
from judgecli.answers.questions import ask, read_questions
from judgecli.answers.reading import read_parts
from judgecli.answers.references import match_references, read_references
from judgecli.answers.reporting import CUT_REASONS
from judgecli.answers.seating import seat
from judgecli.errors import DataError, JudgeError
from judgecli.types import Response
from judgecli.types.pipes import reread

GOLD = "gold"


@dataclass(frozen=True, slots=True, kw_only=True)
class Characters:
    """Lengths of answers in characters, thinking included."""

    minimum: int
    median: float
    maximum: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """The answers of one model: ids or places of those that say nothing, and how long all are.

    `only_thinking` are empty too, once the thinking is taken away; `cut_off` were ended by a length limit.
    """

    models: tuple[str, ...]
    empty: tuple[str, ...]
    only_thinking: tuple[str, ...]
    cut_off: tuple[str, ...]
    characters: Characters


@dataclass(frozen=True, slots=True, kw_only=True)
class Inspected:
    """One set of answers, as far as it can be read; `problem` is why it cannot.

    `answers` has one entry, or two where a row holds two answers. Ids of rows without one are none of
    `n_ids`; `duplicated` counts the rows of those that are there more than once. `turns` and `labels` count
    rows by number of turns and by label. `failed` are ids that were asked and have no answer.
    `unread` are files of questions or references that cannot be read, for reasons among the problems.
    """

    file: str
    problem: str | None = None
    format: str | None = None
    container: str | None = None
    fields: Mapping[str, str] = field(default_factory=dict)
    n_rows: int = 0
    n_ids: int = 0
    n_without_id: int = 0
    duplicated: Mapping[str, int] = field(default_factory=dict)
    failed: tuple[str, ...] = ()
    n_with_question: int = 0
    n_with_reference: int = 0
    answers: tuple[Answers, ...] = ()
    turns: Mapping[int, int] = field(default_factory=dict)
    turn: str | None = None
    labels: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Joining:
    """How sets of answers go together; `missing` has for each the ids that it lacks and another has."""

    files: tuple[str, ...]
    paired_by: str | None = None
    n_shared: int = 0
    missing: tuple[tuple[str, ...], ...] = ()
    notes: tuple[str, ...] = ()
    problem: str | None = None


def inspect_files(
    paths: Sequence[str], options: LoadingOptions
) -> tuple[tuple[Inspected, ...], Joining | None]:
    """Return what is in each file, and how their answers go together where there are two sets or more.

    What cannot be read is said in its place.

    Raises:
        UsageError: No such format or turn, or fields that contradict each other.
    """
    beside = filter(None, (options.questions, options.reference))
    with reread([*(split_choice(path)[0] for path in paths), *beside]):
        return _inspect(paths, options)


def _inspect(paths: Sequence[str], options: LoadingOptions) -> tuple[tuple[Inspected, ...], Joining | None]:
    sets: list[AnswerFile] = []
    inspected: list[Inspected] = []
    for path in paths:
        try:
            parts = read_parts(
                path,
                format_in=options.format_in,
                fields=options.fields,
                turn=options.turn,
                has_questions=options.has_questions,
            )
        except DataError as error:
            inspected.append(_labels_alone(path) or Inspected(file=path, problem=str(error)))
            continue
        sets += parts
        inspected += [_inspected(part, options) for part in parts]
    is_whole = len(sets) == len(inspected)
    joined = _joining(sets, options.pair_by) if is_whole and len(sets) > 1 else None
    return tuple(inspected), joined


def _inspected(answers: AnswerFile, options: LoadingOptions) -> Inspected:
    rows = answers.responses or tuple(row.first for row in answers.pair_rows)
    sides = [rows] if answers.responses else [rows, tuple(row.second for row in answers.pair_rows)]
    ids = Counter(row.id for row in rows if row.id is not None)
    joint, problems = _joined_alone(answers)
    labels = Counter(str(item.metadata[GOLD]) for item in joint.items if GOLD in item.metadata)
    beside = _beside(answers, joint.items, options)
    return Inspected(
        file=answers.file,
        format=answers.format,
        container=answers.container,
        fields=answers.fields_used,
        n_rows=answers.n_rows,
        n_ids=len(ids),
        n_without_id=answers.n_rows - ids.total(),
        duplicated={name: n for name, n in ids.items() if n > 1},
        failed=answers.failed,
        n_with_question=max(beside.n_questions, sum(row.instruction is not None for row in rows)),
        n_with_reference=max(beside.n_references, sum(row.reference is not None for row in rows)),
        answers=tuple(map(_answers, sides)),
        turns=dict(sorted(Counter(len(row.earlier_outputs) + 1 for row in rows).items())),
        turn=answers.turn,
        labels=dict(sorted(labels.items())) if answers.pair_rows else {},
        notes=(*answers.notes, *(joint.notes if answers.pair_rows else ())),
        problems=(*problems, *beside.problems),
        unread=beside.unread,
    )


@dataclass(slots=True)
class _Beside:
    """How many items have a question and a reference, those of files beside them too, and what is wrong."""

    n_questions: int = 0
    n_references: int = 0
    problems: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()

    @contextmanager
    def noting(self, unread: str | None = None) -> Iterator[None]:
        """Note what is wrong; `unread` is the file that cannot be read then."""
        try:
            yield
        except DataError as error:
            self.problems += (str(error),)
            self.unread += () if unread is None else (unread,)


def _beside(answers: AnswerFile, items: Sequence[Joined], options: LoadingOptions) -> _Beside:
    found = _Beside()
    questions = references = None
    if options.questions is not None:
        with found.noting(unread=options.questions):
            questions = read_questions(options.questions, options.fields, items)
    if questions is not None and items:
        found.n_questions = sum(bool(item.instruction or questions.get(item)) for item in items)
        with found.noting():
            ask(items, questions)
    if options.reference is not None:
        with found.noting(unread=options.reference):
            by_turn = answers.turn is not None
            references = read_references(options.reference, items, options, by_turn=by_turn)
    if references is not None and items:
        with found.noting():
            texts = match_references(references, items).texts
            found.n_references = sum(one[-1] is not None for one in texts)
    return found


def _answers(rows: Sequence[Response]) -> Answers:
    empty = [row for row in rows if row.is_empty]
    lengths = [len(row.output) for row in rows]
    return Answers(
        models=tuple(dict.fromkeys(row.model for row in rows if row.model)),
        empty=tuple(_name(row) for row in empty if not row.is_only_thinking),
        only_thinking=tuple(_name(row) for row in empty if row.is_only_thinking),
        cut_off=tuple(_name(row) for row in rows if row.finish_reason in CUT_REASONS),
        characters=Characters(minimum=min(lengths), median=median(lengths), maximum=max(lengths)),
    )


def _name(row: Response) -> str:
    return row.id or str(row.source)


def _joined_alone(answers: AnswerFile) -> tuple[Joint, tuple[str, ...]]:
    """Return the items of a set of answers, none where it cannot be judged by itself, and why it cannot."""
    try:
        if answers.responses:
            return join([answers], pair_by=PairBy.AUTO, allow_missing=False), ()
        return seat(answers, seed=0), ()
    except JudgeError as error:
        return Joint(paired_by=PairBy.AUTO, items=(), missing=()), (str(error),)


def _joining(sets: Sequence[AnswerFile], pair_by: PairBy) -> Joining:
    files = tuple(one.file for one in sets)
    paired = next((one for one in sets if one.pair_rows), None)
    if paired is not None:
        why = f"{paired.file}: holds both answers already ({paired.format}); it is judged alone"
        return Joining(files=files, problem=why)
    try:
        joint = join(sets, pair_by=pair_by, allow_missing=True)
    except JudgeError as error:
        return Joining(files=files, problem=str(error))
    return Joining(
        files=files,
        paired_by=joint.paired_by.value,
        n_shared=len(joint.items),
        missing=joint.missing,
        notes=joint.notes,
    )


def _labels_alone(path: str) -> Inspected | None:
    """Return what is in a file of labels; None where it is none."""
    try:
        labels = read_label_file(path).labels()
    except JudgeError:
        return None
    counts = Counter(str(one.winner) for one in labels.by_item.values() if one.winner is not None)
    return Inspected(
        file=labels.file,
        format="labels",
        n_rows=len(labels.by_item),
        n_ids=len(labels.by_item),
        labels=dict(sorted(counts.items())),
        notes=labels.notes,
    )
