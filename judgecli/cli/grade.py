"""`judge grade`: how good one model's answers are, each by itself."""

from typing import Annotated

import typer

from judgecli.cli import endpoint_options as e
from judgecli.cli import options as o
from judgecli.cli.exits import exits

Answers = Annotated[
    str, typer.Argument(metavar="ANSWERS", help="The answers to grade; - is stdin.", show_default=False)
]


@exits
def grade(
    answers: Answers,
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
    reference_block: o.ReferenceBlock = False,
    questions: o.Questions = None,
    turn: o.Turn = None,
    no_reference: o.NoReference = False,
    allow_missing_reference: o.AllowMissingReference = False,
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
    """Grade one model's answers, one at a time.

    JudgeLM grades against a reference answer, rubric judges such as Prometheus by --rubric. An empty answer
    is not shown to the judge: it counts with the lowest score of the scale. Failures are never scores.

    Example: judge grade answers.jsonl --reference references.jsonl
    """
    values = dict(locals())
    from judgecli.cli.grade_run import run_grade

    run_grade(values)
