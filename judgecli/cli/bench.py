"""`judge bench`: how fast a judge is on this machine, and with which options it is fastest."""

from typing import Annotated, Any

import typer

from judgecli.cli import options as o
from judgecli.cli.exits import exits
from judgecli.cli.forms import BenchForm, BenchFormOption


def _option(*names: str, **settings: Any) -> Any:
    """Return an option of this command alone."""
    return typer.Option(*names, rich_help_panel="Benchmark", **{"show_default": False, **settings})


@exits
def bench(
    baseline: Annotated[
        str | None,
        typer.Argument(
            metavar="BASELINE",
            help="Answers to measure with, as for `judge pair`; made-up pairs if left out.",
        ),
    ] = None,
    candidate: o.Candidate = None,
    model: o.Model = None,
    prompt: o.PromptOption = None,
    template: o.Template = None,
    reference: o.Reference = None,
    questions: o.Questions = None,
    no_reference: o.NoReference = False,
    allow_missing: o.AllowMissing = False,
    allow_missing_reference: o.AllowMissingReference = False,
    pair_by: o.PairByOption = "auto",
    limit: Annotated[
        int | None,
        _option("--limit", metavar="N", min=1, help="Pairs; 8 if left out, with --tune 2."),
    ] = None,
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
    repeat: Annotated[
        int, _option("--repeat", metavar="N", help="Passes that count.", show_default=True)
    ] = 3,
    reasons: Annotated[
        bool | None,
        _option("--reasons/--no-reasons", help="Explain all pairs, or none; half of them if left out."),
    ] = None,
    reason_tokens: Annotated[
        int,
        _option("--reason-tokens", metavar="N", help="Length of explanations.", show_default=True),
    ] = 64,
    tune: Annotated[
        bool,
        _option("--tune", help="Try threads, n_ubatch and flash attention instead, scores only."),
    ] = False,
    form: BenchFormOption = BenchForm.TERMINAL,
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
    offline: o.Offline = False,
) -> None:
    """Measure how fast a judge is on this machine.

    Raw prefill, judging, and llama-cpp-python's own completion loop take turns on the same prompts, each pair
    in both orders. Nothing is written to disk.

    Example: judge bench --model demo --limit 4
    """
    values = dict(locals())
    from judgecli.cli.bench_run import run_bench_command

    run_bench_command(values)
