"""`judge chat`: questions to the judge about one of its judgments."""

from typing import Annotated, Any

import typer

from judgecli.cli import options as o
from judgecli.cli.exits import exits
from judgecli.cli.report import RunFile


def _option(*names: str, **settings: Any) -> Any:
    """Return an option of this command alone."""
    return typer.Option(*names, rich_help_panel="Conversation", **{"show_default": False, **settings})


@exits
def chat(
    run: RunFile,
    item_id: Annotated[str, _option("--id", metavar="ID", help="The item whose judgment to talk about.")],
    order: Annotated[
        str | None,
        _option("--order", metavar="AB", help="The order it was judged in; the first judged if left out."),
    ] = None,
    judge: Annotated[
        str | None,
        _option(
            "--judge",
            metavar="first|stronger",
            help="Whose judgment of a pair that was handed on; the one whose verdict stands if left out.",
        ),
    ] = None,
    ask: Annotated[
        list[str] | None,
        _option("--ask", metavar="QUESTION", help="Ask this and end; may be given several times."),
    ] = None,
    max_tokens: Annotated[
        int, _option("--max-tokens", metavar="N", min=1, help="Longest answer.", show_default=True)
    ] = 512,
    # no JUDGE_MODEL: the judge of the run is asked, whatever else is the default
    model: Annotated[
        str | None,
        _option(*("--model", "-m"), metavar="MODEL", help="Another judge, or where the run's own is now."),
    ] = None,
    prompt: o.PromptOption = None,
    template: o.Template = None,
    rubric: o.Rubric = None,
    shots: o.Shots = None,
    form: o.FormOption = o.Form.TERMINAL,
    quiet: o.Quiet = False,
    verbose: o.Verbose = False,
    n_ctx: o.NCtx = None,
    threads: o.Threads = None,
    n_gpu_layers: o.NGpuLayers = None,
) -> None:
    """Talk with the judge about one judgment.

    Its prompt, verdict and reasons are in the context. Without --ask, questions are typed, or read from stdin
    a line each. The family, rubric and examples of the run are found by name unless options say where.

    Example: judge chat baseline-vs-candidate.judge.jsonl --id q1 --ask "Why not a tie?"
    """
    values = dict(locals())
    from judgecli.cli.chat_session import run_chat

    run_chat(values)
