"""`judge prompt`: look at what a judge is sent."""

import sys
from typing import Annotated

import typer

from judgecli.cli import options as o
from judgecli.cli.exits import exits

prompt = typer.Typer(help="Look at the prompts a judge is sent.", no_args_is_help=True)
PairId = Annotated[str | None, o.option("--id", help="Id of the pair to show; the first if left out.")]


@prompt.command("show")
@exits
def show(
    baseline: o.Baseline,
    candidate: o.Candidate = None,
    reference: o.Reference = None,
    questions: o.Questions = None,
    model: o.Model = None,
    prompt: o.PromptOption = None,
    template: o.Template = None,
    pair_id: PairId = None,
    order: Annotated[str, o.option("--order", help="ab or ba.", show_default=True)] = "ab",
    no_reference: o.NoReference = False,
    format_in: o.FormatIn = None,
) -> None:
    """Print the prompt for one pair on stdout, byte for byte, and its number of tokens on stderr.

    Example: judge prompt show baseline.jsonl candidate.jsonl --model demo --id q3
    """
    from judgecli.answers import InputOptions
    from judgecli.cli.console import stderr
    from judgecli.run import PairOptions, show_prompt

    source = InputOptions(
        baseline=baseline,
        candidate=candidate,
        reference=reference,
        questions=questions,
        no_reference=no_reference,
        allow_missing=True,
        allow_missing_reference=True,
        format_in=format_in,
    )
    options = PairOptions(input=source, model=model, prompt=prompt, template=template)
    shown = show_prompt(options, pair_id=pair_id, order=order)
    sys.stdout.write(shown.text)
    sys.stdout.flush()
    newline = "" if shown.text.endswith("\n") else "\n"
    stderr().print(f"{newline}{shown.facts}")


@prompt.command("ls")
@exits
def list_families() -> None:
    """List the prompt families that come with judgecli."""
    from judgecli.prompts import family_names, load_family

    for name in family_names():
        family = load_family(name)
        sys.stdout.write(f"{name:<10} {family.title} ({family.source}, {family.licence})\n")
