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
    HTML = "html"
    JUNIT = "junit"


class _Group:
    """Options under one heading of the help."""

    def __init__(self, heading: str) -> None:
        self.heading = heading

    def option(self, *names: str, help: str, **settings: Any) -> Any:  # noqa: A002 - Typer's own word
        """Return an option that shows no default unless it has a telling one.

        A path that may not be read is refused by whoever reads it, with the exit code of that.
        """
        settings = {"show_default": False, "readable": False, **settings}
        return typer.Option(*names, help=help, rich_help_panel=self.heading, **settings)


_judge, _input, _run = _Group("Judge"), _Group("Input"), _Group("Run")
_output, _fields, _engine = _Group("Output"), _Group("Field names"), _Group("Engine")

Baseline = Annotated[
    str,
    typer.Argument(metavar="BASELINE", help="The baseline's answers (A); - is stdin.", show_default=False),
]
Candidate = Annotated[
    str | None,
    typer.Argument(
        metavar="CANDIDATE", help="The candidate's answers (B); left out where BASELINE holds pairs."
    ),
]

Model = Annotated[
    str | None,
    _judge.option(
        *("--model", "-m"),
        metavar="MODEL",
        envvar="JUDGE_MODEL",
        help="NAME[:QUANT], a .gguf path, hf:org/repo/file.gguf, or openai:MODEL behind an endpoint; "
        "judgelm-7b if left out.",
    ),
]
PromptOption = Annotated[
    str | None,
    _judge.option(
        "--prompt", metavar="FAMILY", help="Prompt family or your own TOML file; the model's if left out."
    ),
]
Template = Annotated[
    str | None,
    _judge.option("--template", metavar="NAME", help="Chat template: chatml, llama-3 or a Jinja file."),
]
Rubric = Annotated[
    str | None,
    _judge.option("--rubric", metavar="FILE", help="What is graded, and what each score means (TOML)."),
]
Aspect = Annotated[
    str | None,
    _judge.option(
        "--aspect",
        metavar="ASPECT",
        help="Judge this alone: helpfulness, safety, factuality or words of your own.",
    ),
]
Cot = Annotated[bool, _judge.option("--cot", help="Reasons first, then the verdict.")]
Shots = Annotated[
    str | None,
    _judge.option("--shots", metavar="FILE", help="Judged examples to show in the prompt (JSON Lines)."),
]
OrdersOption = Annotated[
    str,
    _judge.option(
        "--orders", metavar="both|ab", help="ab: half the work, no consistency.", show_default=True
    ),
]
Reasons = Annotated[bool, _judge.option("--reasons", help="Also write the judge's explanation.")]
MinMass = Annotated[
    float,
    _judge.option(
        "--min-mass",
        metavar="P",
        help="Least probability on verdicts; below it a judgment fails.",
        show_default=True,
    ),
]
OverflowOption = Annotated[
    str,
    _judge.option(
        "--overflow",
        metavar="fail|truncate",
        help="What becomes of what is longer than the context.",
        show_default=True,
    ),
]

Reference = Annotated[
    str | None, _input.option("--reference", metavar="FILE", help="Reference answers, shown to the judge.")
]
ReferenceBlock = Annotated[
    bool,
    _judge.option("--reference-block", help="Also show the reference in a block of its own (JudgeLM)."),
]
Questions = Annotated[
    str | None, _input.option("--questions", metavar="FILE", help="Questions, for answers without them.")
]
Turn = Annotated[
    str | None,
    _input.option(
        "--turn",
        metavar="first|last|N",
        help="Which turn of a conversation is judged; those before it are shown.",
    ),
]
NoReference = Annotated[bool, _input.option("--no-reference", help="Drop reference answers.")]
AllowMissing = Annotated[bool, _input.option("--allow-missing", help="Judge the ids that both files have.")]
AllowMissingReference = Annotated[
    bool, _input.option("--allow-missing-reference", help="Go on where only some have a reference.")
]
PairByOption = Annotated[
    str,
    _input.option(
        "--pair-by",
        metavar="KEY",
        help="auto (id, else instruction), id, instruction or line.",
        show_default=True,
    ),
]
Limit = Annotated[int | None, _input.option("--limit", metavar="N", min=1, help="Judge the first N only.")]
Sample = Annotated[bool, _input.option("--sample", help="With --limit: N drawn with the seed.")]
Seed = Annotated[
    int, _input.option("--seed", metavar="N", help="Seed of every random choice.", show_default=True)
]
FormatIn = Annotated[
    str | None, _input.option("--format-in", metavar="NAME", help="Input format; detected if left out.")
]

# Files whose fields are named differently each take the first of several names that they have.
IdField = Annotated[list[str] | None, _fields.option("--id-field", metavar="NAME", help="The id.")]
InstructionField = Annotated[
    list[str] | None, _fields.option("--instruction-field", metavar="NAME", help="The instruction.")
]
InputField = Annotated[
    str | None, _fields.option("--input-field", metavar="NAME", help="What an instruction works on.")
]
ResponseField = Annotated[
    list[str] | None,
    _fields.option(
        "--response-field", metavar="NAME", help="The answer, such as choices[0].text; may be given twice."
    ),
]
ResponseAField = Annotated[
    str | None, _fields.option("--response-a-field", metavar="NAME", help="A's answer in a file of pairs.")
]
ResponseBField = Annotated[
    str | None, _fields.option("--response-b-field", metavar="NAME", help="B's answer in a file of pairs.")
]
ReferenceField = Annotated[
    list[str] | None, _fields.option("--reference-field", metavar="NAME", help="The reference answer.")
]
ModelField = Annotated[
    str | None, _fields.option("--model-field", metavar="NAME", help="The answering model's name.")
]

Out = Annotated[
    Path | None,
    _run.option(*("--out", "-o"), metavar="FILE", help="Run file; named after the answer files if left out."),
]
Fresh = Annotated[bool, _run.option("--fresh", help="Overwrite the run file instead of going on in it.")]
Retry = Annotated[bool, _run.option("--retry", help="Ask again where a judgment failed.")]
Cache = Annotated[
    bool | None,
    _run.option("--cache/--no-cache", help="Do not ask again what earlier runs with --cache asked."),
]
CacheDir = Annotated[
    str | None,
    _run.option("--cache-dir", metavar="DIR", help="--cache, in a folder of your own."),
]
MaxFailures = Annotated[
    float | None,
    _run.option("--max-failures", metavar="SHARE", min=0, max=1, help="Exit with 5 if a larger share fails."),
]
DryRun = Annotated[bool, _run.option("--dry-run", help="Show numbers, tokens and time; judge nothing.")]

FormOption = Annotated[
    Form,
    _output.option(
        "--format", metavar="NAME", help="terminal, json, markdown, html or junit.", show_default=True
    ),
]
ReportFiles = Annotated[
    list[Path] | None,
    _output.option(
        *("--report", "-r"),
        metavar="FILE",
        help="Also write it to a .md, .html, .xml, .json or .txt file, as often as you like.",
    ),
]
Quiet = Annotated[bool, _output.option("--quiet", "-q", help="No progress and no notes; errors still print.")]
Verbose = Annotated[bool, _output.option("--verbose", "-v", help="Show llama.cpp's own log.")]

NCtx = Annotated[
    int | None,
    _engine.option("--n-ctx", metavar="TOKENS", help="Context; chosen from the data if left out."),
]
Threads = Annotated[
    int | None, _engine.option("--threads", metavar="N", help="CPU threads; all cores if left out.")
]
NGpuLayers = Annotated[
    int | None, _engine.option("--n-gpu-layers", metavar="N", help="Layers on the GPU; all if left out.")
]
NUbatch = Annotated[
    int,
    _engine.option("--n-ubatch", metavar="N", help="Tokens evaluated at once.", show_default=True),
]
TypeK = Annotated[
    str,
    _engine.option(
        "--type-k",
        metavar="TYPE",
        help="Keys in the cache: f16, f32, bf16, q8_0, q5_1, q5_0, q4_1 or q4_0.",
        show_default=True,
    ),
]
TypeV = Annotated[
    str, _engine.option("--type-v", metavar="TYPE", help="Values in the cache, the same.", show_default=True)
]
NoFlashAttn = Annotated[bool, _engine.option("--no-flash-attn", help="Switch flash attention off.")]
SplitModeOption = Annotated[
    str,
    _engine.option(
        "--split-mode", metavar="none|layer|row", help="How GPUs share the model.", show_default=True
    ),
]
TensorSplit = Annotated[
    str | None,
    _engine.option(
        "--tensor-split", metavar="X,Y", help="Each GPU's share, such as 3,1; by memory if left out."
    ),
]
MainGpu = Annotated[
    int,
    _engine.option("--main-gpu", metavar="N", help="GPU of split modes none and row.", show_default=True),
]
PromptsPerCall = Annotated[
    int | None,
    _engine.option(
        "--prompts-per-call",
        metavar="N",
        help="Prompts evaluated together: 1 on a CPU, 4 on a GPU if left out.",
    ),
]
Parallel = Annotated[
    int | None,
    _engine.option(
        "--parallel",
        metavar="N",
        help="Reasons written at once, by device and memory if left out; requests to an endpoint (8).",
    ),
]
Offline = Annotated[
    bool, _engine.option("--offline", help="Never offer to download (judging never connects).")
]

ItemId = Annotated[
    str | None, _judge.option("--id", metavar="ID", help="The item to show; the first if left out.")
]
OrderOption = Annotated[
    str | None,
    _judge.option(
        "--order",
        metavar="LETTERS",
        help="The answers shown, a letter a file, as seated: ab if left out, ba, a alone, bca.",
    ),
]
