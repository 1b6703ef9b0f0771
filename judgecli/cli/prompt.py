"""`judge prompt`: look at what a judge is sent."""

import sys
from collections.abc import Mapping
from textwrap import wrap
from typing import TYPE_CHECKING, Annotated, Any

import typer

from judgecli.cli import options as o
from judgecli.cli.console import say, write, write_utf8
from judgecli.cli.exits import exits
from judgecli.cli.help import GroupedCommand

if TYPE_CHECKING:
    from judgecli.run import GradeOptions, PairOptions, RankOptions

prompt = typer.Typer(help="Show the prompts a judge is sent.", no_args_is_help=True)

Answers = Annotated[
    list[str],
    typer.Argument(
        metavar="ANSWERS",
        help="Files as `judge pair`, `judge rank`, or with --order a `judge grade` takes them; - is stdin.",
        show_default=False,
    ),
]
_COLUMNS = 79  # of a terminal of 80: some break a full line


@prompt.command("show", cls=GroupedCommand)
@exits
def show(
    answers: Answers,
    item_id: o.ItemId = None,
    order: o.OrderOption = None,
    model: o.Model = None,
    prompt: o.PromptOption = None,
    template: o.Template = None,
    rubric: o.Rubric = None,
    aspect: o.Aspect = None,
    cot: o.Cot = False,
    shots: o.Shots = None,
    reference: o.Reference = None,
    reference_block: o.ReferenceBlock = False,
    questions: o.Questions = None,
    turn: o.Turn = None,
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
    quiet: o.Quiet = False,
) -> None:
    """Print the prompt about one item's answers, byte for byte.

    Two files are a pair; of one file, --order a shows the prompt of judge grade, and of three or more, an
    order of as many letters that of judge rank --mode joint. Tokens, family and flags go to stderr.

    Example: judge prompt show baseline.jsonl candidate.jsonl --model demo
    """
    values = {**locals(), "allow_missing": True, "allow_missing_reference": True}
    from judgecli.run import show_prompt

    shown = show_prompt(_options(values), item_id=item_id, order=order)
    if not sys.stdout.isatty():
        write_utf8()
    write(shown.text)
    if sys.stdout.isatty() and not shown.text.endswith("\n"):
        write("\n")  # for people; a file or a pipe gets the prompt's own bytes
    if not quiet:
        say(shown.facts)


def _options(values: Mapping[str, Any]) -> "PairOptions | GradeOptions | RankOptions":
    """Return the options of the command that would send the prompt."""
    from judgecli.answers import AnswersOptions
    from judgecli.cli.values import input_options, loading_options
    from judgecli.run import GradeOptions, PairOptions, RankOptions
    from judgecli.types import Ranking

    files, n_seats = values["answers"], len(values["order"] or "ab")
    names = ("model", "prompt", "template", "rubric", "aspect", "cot", "shots", "reference_block")
    how = {name: values[name] for name in names}
    if len(files) == 2 or (len(files) == 1 and n_seats > 1):
        baseline, candidate = (*files, None)[:2]
        pair = input_options({**values, "baseline": baseline, "candidate": candidate})
        return PairOptions(input=pair, **how)
    source = AnswersOptions(files=tuple(files), **loading_options(values))
    if len(files) == 1:
        return GradeOptions(input=source, **how)
    return RankOptions(input=source, mode=Ranking.JOINT if n_seats > 2 else Ranking.PAIRS, **how)


@prompt.command("ls")
@exits
def list_families() -> None:
    """List the prompt families that come with judgecli."""
    from judgecli.prompts import family_names, load_family

    width = max(map(len, family_names()))
    for name in family_names():
        family = load_family(name)
        write(f"{name:<{width}}  {family.title}\n")
        origin = f"{family.source}; licence: {family.licence}"
        indent = " " * 4
        lines = wrap(
            origin, _COLUMNS, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False
        )
        write("".join(f"{line}\n" for line in lines))
