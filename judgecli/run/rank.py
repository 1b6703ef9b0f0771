"""`judge rank`: three or more answers to each item, pair by pair or all in one prompt."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from judgecli.answers import AnswersOptions, AnswersReport, load_many
from judgecli.answers.files import file_name
from judgecli.errors import UsageError
from judgecli.prompts import PromptFamily
from judgecli.run.comparing import orders_of, pairs_of_models
from judgecli.run.execution import PreparedRun
from judgecli.run.given import Comparison, Given, recorded_answers
from judgecli.run.options import RunOptions, default_run_file
from judgecli.run.preparing import prepare
from judgecli.types import LETTERS, Item, Order, Ranking, rotations

MODE = "rank"
MIN_MODELS = 3
_MAX_NAME_BYTES = 200  # file systems have room for 255


@dataclass(frozen=True, slots=True, kw_only=True)
class RankOptions(RunOptions):
    """Everything that `judge rank` can be told.

    In one prompt (`mode` joint) the answers change seats from rotation to rotation; `rotations` None makes as
    many as there are models, so that each answer sits in every seat once. Of fewer, the first is drawn for
    each item with the seed, so that no model has the same seats on all.
    """

    input: AnswersOptions
    mode: Ranking = Ranking.PAIRS
    rotations: int | None = None

    def __post_init__(self) -> None:
        """Refuse what cannot be ranked.

        Raises:
            UsageError: too few or too many files, or an option is out of its range.
        """
        RunOptions.__post_init__(self)  # super() does not know a class with slots
        n_models = len(self.input.files)
        if n_models < MIN_MODELS:
            hint = "; for two, use judge pair" if n_models == 2 else ""
            raise UsageError(f"judge rank needs three answer files or more, not {n_models}{hint}")
        if n_models > len(LETTERS):
            raise UsageError(f"judge rank takes {len(LETTERS)} answer files at most, not {n_models}")
        if self.rotations is None:
            return
        if self.mode is Ranking.PAIRS:
            raise UsageError("--rotations is for --mode joint; pairs are always judged in both orders")
        if not 1 <= self.rotations <= n_models:
            raise UsageError(f"--rotations must be from 1 to {n_models}, the models, not {self.rotations}")

    @property
    def answer_files(self) -> tuple[str, ...]:
        """The models' files, in the order of their letters."""
        return self.input.files

    @property
    def n_rotations(self) -> int | None:
        """In how many seats each answer is shown; None where models are compared pair by pair."""
        return None if self.mode is Ranking.PAIRS else self.rotations or len(self.answer_files)

    @property
    def run_file(self) -> Path:
        """Where the run is written: `a-vs-b-vs-c.judge.jsonl`, or `a-and-9-more.judge.jsonl` if too long.

        A ranking of all answers in one prompt has a file of its own beside it.
        """
        if self.out is not None:
            return self.out
        name = default_run_file(self.answer_files)
        if len(name.encode("utf-8", "surrogateescape")) > _MAX_NAME_BYTES:
            name = _with(default_run_file(self.answer_files[:1]), f"-and-{len(self.answer_files) - 1}-more")
        return Path(name if self.mode is Ranking.PAIRS else _with(name, ".joint"))


def _with(run_file: str, ending: str) -> str:
    suffix = ".judge.jsonl"
    return f"{run_file.removesuffix(suffix)}{ending}{suffix}"


def prepare_rank(options: RankOptions) -> PreparedRun:
    """Read and join the answers, and prepare their run.

    Raises:
        DataError: the input, the prompt family or the run file is wrong.
        ModelError: the judge is unknown, missing or damaged.
        UsageError: options that contradict each other.
    """
    return prepare(options, read_models(options))


def read_models(options: RankOptions) -> Given:
    """Read and join the answers.

    Raises:
        DataError: a file is missing, damaged, empty, or cannot be joined with the others.
        UsageError: options that contradict each other or the kind of file.
    """
    loaded = load_many(options.input)
    n_models = len(options.answer_files)

    def comparisons(family: PromptFamily) -> tuple[Comparison, ...]:
        if options.n_rotations is not None:
            orders = rotations(n_models, options.n_rotations)
            return (Comparison(letters=orders[0], orders=orders),)
        # a judge that grades one answer at a time grades each once, and their scores are compared
        alone = family.has_task(1) and not family.has_task(2)
        return tuple(paired(letters, alone=alone) for letters in pairs_of_models(n_models))

    def for_item(comparison: Comparison, item: Item) -> Comparison:
        if options.n_rotations is None or options.n_rotations == n_models:
            return comparison
        first = _draw(options.input.seed, item.id, n_models)
        return replace(comparison, orders=rotations(n_models, options.n_rotations, first))

    return Given(
        mode=MODE,
        items=loaded.items,
        comparisons=comparisons,
        recorded=_recorded_input(options, loaded.report),
        asked={
            "ranking": options.mode.value,
            "rotations": options.n_rotations,
            "models": list(loaded.report.models),
            "turn": loaded.report.turn,
            "seed": options.input.seed,
        },
        joined=f" by {loaded.report.paired_by.value}",
        how=_how(options),
        lines=tuple(_lines(options, loaded.report)),
        notes=loaded.report.notes,
        for_ranking=options.mode is Ranking.PAIRS,
        for_item=for_item,
    )


def _draw(seed: int, item_id: str, n: int) -> int:
    """Return a number under n that is the same for the same seed and id, on every machine."""
    digest = hashlib.sha256(f"{seed}:{item_id}".encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest) % n


def paired(letters: Order, *, alone: bool) -> Comparison:
    """Return the comparison of two models: in both orders, or of grades given to each alone."""
    orders = (Order(letters[0]), Order(letters[1])) if alone else orders_of(letters)
    return Comparison(letters=letters, orders=orders)


def _how(options: RankOptions) -> str:
    if options.n_rotations is None:
        return "every two models in both orders"
    n = options.n_rotations
    return f"all answers in one prompt, {n} rotation{'s' * (n > 1)}"


def _lines(options: RankOptions, report: AnswersReport) -> Iterator[str]:
    read = zip(LETTERS, options.answer_files, report.formats, strict=False)
    yield f"read {', '.join(f'{letter} {file_name(file)} as {form}' for letter, file, form in read)}"
    missing = [f"{len(ids)} that {file_name(file)} lacks" for file, ids in _missing(options, report)]
    if missing:
        yield f"left out: {', '.join(missing)}"


def _missing(options: RankOptions, report: AnswersReport) -> list[tuple[str, tuple[str, ...]]]:
    return [(file, ids) for file, ids in zip(options.answer_files, report.missing, strict=True) if ids]


def _recorded_input(options: RankOptions, report: AnswersReport) -> dict[str, Any]:
    return {
        **recorded_answers(options.input, report),
        "files": list(options.answer_files),
        "paired_by": report.paired_by.value,
        "missing": {file: list(ids) for file, ids in _missing(options, report)},
    }
