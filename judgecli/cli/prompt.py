"""`judge prompt`: look at what a judge is sent."""

import sys

import typer

from judgecli.cli import options as o
from judgecli.cli.console import say, write
from judgecli.cli.exits import exits
from judgecli.cli.help import GroupedCommand

prompt = typer.Typer(help="Show the prompts a judge is sent.", no_args_is_help=True)


@prompt.command("show", cls=GroupedCommand)
@exits
def show(
    baseline: o.Baseline,
    candidate: o.Candidate = None,
    item_id: o.PairId = None,
    order: o.OrderOption = "ab",
    model: o.Model = None,
    prompt: o.PromptOption = None,
    template: o.Template = None,
    reference: o.Reference = None,
    questions: o.Questions = None,
    no_reference: o.NoReference = False,
    pair_by: o.PairByOption = "auto",
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
) -> None:
    """Print the prompt for one pair, byte for byte.

    Its number of tokens, family and flags go to stderr.

    Example: judge prompt show baseline.jsonl candidate.jsonl --model demo
    """
    values = {**locals(), "allow_missing": True, "allow_missing_reference": True}
    from judgecli.cli.values import input_options
    from judgecli.run import PairOptions, show_prompt

    options = PairOptions(input=input_options(values), model=model, prompt=prompt, template=template)
    shown = show_prompt(options, item_id=item_id, order=order)
    write(shown.text)
    if sys.stdout.isatty() and not shown.text.endswith("\n"):
        say("")  # or the facts would go on in the prompt's last line
    say(shown.facts)


@prompt.command("ls")
@exits
def list_families() -> None:
    """List the prompt families that come with judgecli."""
    from judgecli.prompts import family_names, load_family

    for name in family_names():
        family = load_family(name)
        write(f"{name:<10} {family.title} ({family.source}, {family.licence})\n")
