"""Option types that commands share, so that a name means the same everywhere."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer


class Form(StrEnum):
    """What goes to stdout."""

    TERMINAL = "terminal"
    JSON = "json"
    MARKDOWN = "markdown"


def option(*names: str, help: str, **settings: Any) -> Any:  # noqa: A002 - Typer's own word
    """Return an option that shows no default unless it has a telling one."""
    settings.setdefault("show_default", False)
    return typer.Option(*names, help=help, **settings)


Baseline = Annotated[str, typer.Argument(metavar="BASELINE", help="The baseline's answers (A); - is stdin.")]
Candidate = Annotated[
    str | None,
    typer.Argument(
        metavar="[CANDIDATE]", help="The candidate's answers (B); left out if BASELINE holds pairs."
    ),
]
Reference = Annotated[
    str | None, option("--reference", help="File of reference answers, shown to the judge.")
]
Questions = Annotated[str | None, option("--questions", help="File of questions, for answers without them.")]
FormatIn = Annotated[str | None, option("--format-in", help="Input format; detected if left out.")]
IdField = Annotated[str | None, option("--id-field", help="Field of the id.")]
InstructionField = Annotated[str | None, option("--instruction-field", help="Field of the instruction.")]
InputField = Annotated[str | None, option("--input-field", help="Field of an instruction's extra input.")]
ResponseField = Annotated[str | None, option("--response-field", help="Field of the answer.")]
ResponseAField = Annotated[str | None, option("--response-a-field", help="Field of A in a file of pairs.")]
ResponseBField = Annotated[str | None, option("--response-b-field", help="Field of B in a file of pairs.")]
ReferenceField = Annotated[str | None, option("--reference-field", help="Field of the reference answer.")]
ModelField = Annotated[str | None, option("--model-field", help="Field of the answering model's name.")]
PairByOption = Annotated[str, option("--pair-by", help="auto, id, instruction or line.", show_default=True)]
AllowMissing = Annotated[bool, option("--allow-missing", help="Judge the ids that both files have.")]
NoReference = Annotated[bool, option("--no-reference", help="Drop reference answers.")]
AllowMissingReference = Annotated[
    bool, option("--allow-missing-reference", help="Go on where only some items have a reference.")
]
Limit = Annotated[int | None, option("--limit", min=1, help="Judge the first N pairs only.")]
Sample = Annotated[bool, option("--sample", help="With --limit: N pairs drawn with the seed.")]
Seed = Annotated[int, option("--seed", help="Seed of every random choice.", show_default=True)]
Model = Annotated[
    str | None,
    option(
        "--model", "-m", envvar="JUDGE_MODEL", help="NAME[:QUANT], a .gguf path, or hf:org/repo/file.gguf."
    ),
]
PromptOption = Annotated[str | None, option("--prompt", help="Prompt family, or a TOML file of your own.")]
Template = Annotated[
    str | None, option("--template", help="Chat template: chatml, llama-3, or a Jinja file.")
]
OrdersOption = Annotated[
    str, option("--orders", help="both, or ab (half the work, no consistency).", show_default=True)
]
MinMass = Annotated[
    float,
    option("--min-mass", help="Least probability on verdicts; below it a judgment fails.", show_default=True),
]
Reasons = Annotated[bool, option("--reasons", help="Also write the judge's explanation.")]
OverflowOption = Annotated[
    str, option("--overflow", help="fail or truncate, for pairs longer than the context.", show_default=True)
]
NCtx = Annotated[int | None, option("--n-ctx", help="Context in tokens; chosen from the data if left out.")]
Threads = Annotated[int | None, option("--threads", help="CPU threads; all cores if left out.")]
NGpuLayers = Annotated[int | None, option("--n-gpu-layers", help="Layers on the GPU; all if left out.")]
Parallel = Annotated[
    int,
    option(
        "--parallel", min=1, help="Judgments at once; llama.cpp judges one by one as yet.", show_default=True
    ),
]
MaxFailures = Annotated[
    float | None, option("--max-failures", min=0, max=1, help="Share of failed pairs above which to exit 5.")
]
Out = Annotated[Path | None, option("--out", "-o", help="Run file; <baseline>-vs-<candidate>.judge.jsonl.")]
ReportFiles = Annotated[
    list[Path] | None, option("--report", "-r", help="Also write the report to a .md, .json or .txt file.")
]
Fresh = Annotated[bool, option("--fresh", help="Overwrite the run file instead of going on in it.")]
Retry = Annotated[bool, option("--retry", help="Ask again where a judgment failed.")]
DryRun = Annotated[bool, option("--dry-run", help="Show pairs, tokens and time; judge nothing.")]
Offline = Annotated[bool, option("--offline", help="Never offer to download (judging never connects).")]
FormOption = Annotated[
    Form, option("--format", help="What stdout gets: terminal, json or markdown.", show_default=True)
]
Quiet = Annotated[bool, option("--quiet", "-q", help="No progress and no notes; errors still print.")]
Verbose = Annotated[bool, option("--verbose", "-v", help="Show llama.cpp's own log.")]
