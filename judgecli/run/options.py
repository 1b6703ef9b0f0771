"""What the caller asks of a run, beside the input."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from os import PathLike
from pathlib import Path, PureWindowsPath

from judgecli.answers.files import split_choice
from judgecli.errors import UsageError
from judgecli.types import Backend, EngineOptions
from judgecli.types.paths import check_folder
from judgecli.types.pipes import STDIN

MAX_REASON_TOKENS = 512
_MAX_STEM_BYTES = 100
_SUFFIXES = re.compile(r"(\.(gz|jsonl|json|csv|tsv|ndjson|eval|parquet))+$", re.IGNORECASE)
_RESERVED_ON_WINDOWS = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\.|$)", re.IGNORECASE)


class Overflow(StrEnum):
    """What happens to a pair that does not fit the judge's context."""

    FAIL = "fail"
    TRUNCATE = "truncate"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """What every run can be told, whatever is judged.

    `rubric` and `shots` are files; `cot` asks for the reasons before the verdict; `reference_block` shows the
    reference in a block of its own too where JudgeLM has it as an answer.

    With `backend` given, that one is asked and no weights are loaded. `out` None names the run file after the
    inputs, in the current folder.

    `cache` serves what a judge said in earlier runs and keeps what it says: in judgecli's own folder (True)
    or in the one named.

    `entropy` measures how unsure the judge is of what it writes; `base` is the model that it was fine-tuned
    from, whose entropy of the same texts is measured too.
    """

    model: str | None = None
    prompt: str | None = None
    template: str | None = None
    rubric: str | None = None
    aspect: str | None = None
    cot: bool = False
    shots: str | None = None
    reference_block: bool = False
    min_mass: float = 0.5
    reasons: bool = False
    overflow: Overflow = Overflow.FAIL
    n_ctx: int | None = None
    engine: EngineOptions = EngineOptions()
    out: Path | None = None
    fresh: bool = False
    retry: bool = False
    verbose: bool = False
    backend: Backend | None = None
    entropy: bool = False
    base: str | None = None
    cache: bool | str | PathLike[str] = False

    def __post_init__(self) -> None:
        """Refuse numbers that mean nothing.

        Raises:
            UsageError: an option is out of its range.
        """
        if self.model == "":
            raise UsageError("--model is empty; name a model, or leave the option out")
        if self.base == "":
            raise UsageError("--base is empty; name the model that the judge was made from, or leave it out")
        if not isinstance(self.cache, bool | str | PathLike):
            raise UsageError(f"--cache-dir must name a folder, not {self.cache!r}; or leave it out")
        if not isinstance(self.cache, bool):
            check_folder("--cache-dir", self.cache)
        if self.aspect is not None and not self.aspect.strip():
            raise UsageError("--aspect is empty; name one, or leave the option out")
        if not 0 <= self.min_mass <= 1:
            raise UsageError(f"--min-mass is a probability from 0 to 1, not {self.min_mass:g}")
        if self.n_ctx is not None and self.n_ctx < 1:
            raise UsageError(f"--n-ctx must be at least 1, not {self.n_ctx}")

    @property
    def answer_files(self) -> tuple[str, ...]:
        """The answer files, as the user named them."""
        raise NotImplementedError

    @property
    def measures_entropy(self) -> bool:
        """Whether entropies are asked for; a base model is named for nothing else."""
        return self.entropy or self.base is not None

    @property
    def run_file(self) -> Path:
        """Where the run is written."""
        return self.out or Path(default_run_file(self.answer_files))


def default_run_file(names: Sequence[str]) -> str:
    """Return `<baseline>-vs-<candidate>.judge.jsonl`, a name that is legal on Windows too.

    Files of the same name in two folders are told apart by their folders.
    """
    stems = [_stem(name) for name in names]
    if len(set(stems)) < len(stems):
        folders = [PureWindowsPath(split_choice(name)[0]).parent.name for name in names]
        stems = [
            _stem(f"{folder}-{stem}" if folder else stem) for folder, stem in zip(folders, stems, strict=True)
        ]
    name = "-vs-".join(stems)
    if _RESERVED_ON_WINDOWS.match(name):
        name = f"_{name}"
    return f"{name}.judge.jsonl"


def _stem(name: str) -> str:
    file, choice = split_choice(name)
    # PureWindowsPath splits at both kinds of slash
    stem = "stdin" if file == STDIN else _SUFFIXES.sub("", PureWindowsPath(file).name)
    whole = stem if choice is None else f"{stem}-{choice}"
    legal = re.sub(r'[<>:"/\\|?*\x00-\x1f]', "_", whole)
    # file systems count bytes: two of these and the suffix stay under 255
    short = legal.encode("utf-8", "surrogateescape")[:_MAX_STEM_BYTES].decode("utf-8", "ignore")
    return short.rstrip(". ") or "answers"
