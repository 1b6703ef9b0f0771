"""`judge pair`: which of two models' answers are better."""

import typer

from judgecli.cli import endpoint_options as e
from judgecli.cli import gate_options as g
from judgecli.cli import options as o
from judgecli.cli import report_options as ro
from judgecli.cli import trust_options as t
from judgecli.cli.exits import exits


@exits
def pair(
    context: typer.Context,
    baseline: o.Baseline,
    candidate: o.Candidate = None,
    model: o.Model = None,
    prompt: o.PromptOption = None,
    template: o.Template = None,
    rubric: o.Rubric = None,
    aspect: o.Aspect = None,
    cot: o.Cot = False,
    shots: o.Shots = None,
    orders: o.OrdersOption = "both",
    reasons: o.Reasons = False,
    min_mass: o.MinMass = 0.5,
    overflow: o.OverflowOption = "fail",
    escalate: t.Escalate = None,
    escalate_prompt: t.EscalatePrompt = None,
    below: t.Below = None,
    order_dependent: t.OrderDependent = False,
    failed: t.EscalateFailed = False,
    calibration: t.CalibrationFile = None,
    entropy: t.Entropy = False,
    base: t.Base = None,
    gate: g.Gate = None,
    margin: g.Margin = 0.05,
    control: g.Control = 30,
    early_stop: g.EarlyStop = False,
    group: g.Group = None,
    by: g.By = None,
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
    response_a_field: o.ResponseAField = None,
    response_b_field: o.ResponseBField = None,
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
    only: ro.Only = None,
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
    """Judge which of two models answers better.

    Every pair is judged in both orders. Judgments are kept in a run file: the same command goes on with it.

    Example: judge pair baseline.jsonl candidate.jsonl --model judgelm-7b
    """
    values = dict(locals())
    from judgecli.cli.pair_run import run_pair

    run_pair(values)
