"""`judge rank`: which of three models or more answer best."""

from typing import Annotated

import typer

from judgecli.cli import endpoint_options as e
from judgecli.cli import options as o
from judgecli.cli.exits import exits

Answers = Annotated[
    list[str],
    typer.Argument(
        metavar="ANSWERS", help="Three answer files or more, a model each; - is stdin.", show_default=False
    ),
]
Mode = Annotated[
    str,
    typer.Option(
        "--mode",
        metavar="pairs|joint",
        help="pairs: each two models in both orders. joint: all answers in one prompt.",
        rich_help_panel="Judge",
    ),
]
Rotations = Annotated[
    int | None,
    typer.Option(
        "--rotations",
        metavar="N",
        min=1,
        help="With joint: seats that each answer is shown in, drawn; every seat if left out.",
        rich_help_panel="Judge",
        show_default=False,
    ),
]


@exits
def rank(
    answers: Answers,
    mode: Mode = "pairs",
    rotations: Rotations = None,
    model: o.Model = None,
    prompt: o.PromptOption = None,
    template: o.Template = None,
    rubric: o.Rubric = None,
    aspect: o.Aspect = None,
    cot: o.Cot = False,
    shots: o.Shots = None,
    reasons: o.Reasons = False,
    min_mass: o.MinMass = 0.5,
    overflow: o.OverflowOption = "fail",
    reference: o.Reference = None,
    questions: o.Questions = None,
    turn: o.Turn = None,
    no_reference: o.NoReference = False,
    allow_missing: o.AllowMissing = False,
    allow_missing_reference: o.AllowMissingReference = False,
    pair_by: o.PairByOption = "auto",
    limit: o.Limit = None,
    sample: o.Sample = False,
    seed: o.Seed = 0,
    format_in: o.FormatIn = None,
    id_field: o.IdField = None,
    instruction_field: o.InstructionField = None,
    input_field: o.InputField = None,
    response_field: o.ResponseField = None,
    reference_field: o.ReferenceField = None,
    model_field: o.ModelField = None,
    out: o.Out = None,
    fresh: o.Fresh = False,
    retry: o.Retry = False,
    cache: o.Cache = None,
    cache_dir: o.CacheDir = None,
    max_failures: o.MaxFailures = None,
    dry_run: o.DryRun = False,
    form: o.FormOption = o.Form.TERMINAL,
    report: o.ReportFiles = None,
    quiet: o.Quiet = False,
    verbose: o.Verbose = False,
    n_ctx: o.NCtx = None,
    threads: o.Threads = None,
    n_gpu_layers: o.NGpuLayers = None,
    n_ubatch: o.NUbatch = 512,
    type_k: o.TypeK = "f16",
    type_v: o.TypeV = "f16",
    no_flash_attn: o.NoFlashAttn = False,
    split_mode: o.SplitModeOption = "layer",
    tensor_split: o.TensorSplit = None,
    main_gpu: o.MainGpu = 0,
    parallel: o.Parallel = None,
    prompts_per_call: o.PromptsPerCall = None,
    max_calls: e.MaxCalls = None,
    timeout: e.Timeout = 120,
    price: e.Price = None,
    offline: o.Offline = False,
) -> None:
    """Rank three models or more by their answers.

    Each two models are judged in both orders, and their strengths fitted to all verdicts (Bradley-Terry).
    With --mode joint the judge scores all answers in one prompt, in which they change seats; that takes a
    family with such a prompt, as judgelm has.

    Example: judge rank a.jsonl b.jsonl c.jsonl --model judgelm-7b
    """
    values = dict(locals())
    from judgecli.cli.rank_run import run_rank

    run_rank(values)
