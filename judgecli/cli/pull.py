"""`judge pull`: fetch a judge model into the hub's cache folder."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from judgecli.cli.asking import agreed
from judgecli.cli.console import say, write
from judgecli.cli.transfer_progress import transfer_progress
from judgecli.prompts import family_names
from judgecli.registry import download, human_size, plan_pull

if TYPE_CHECKING:
    from judgecli.registry.pulling import PullPlan


def pull(
    spec: Annotated[
        str,
        typer.Argument(
            metavar="SPEC", help="NAME[:QUANT] of a model card, or hf:org/repo/file.gguf[@revision]."
        ),
    ],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before downloading.")] = False,
) -> None:
    """Fetch a judge model, or find it here.

    Its licence, its size and the free space come first; what was interrupted goes on; the SHA-256 is checked.
    The path of the file goes to stdout.

    Example: judge pull judgelm-7b:Q4_K_M
    """
    progress = transfer_progress()
    plan = plan_pull(spec, progress=progress)
    if plan.present is None:
        for line in describe_pull(plan):
            say(line)
        plan.check_space()
        if not yes and sys.stdin.isatty() and not agreed("Download it?", default=True):
            say("nothing was downloaded")
            return
    else:
        say(f"{plan.name} is here already")
    write(f"{download(plan, progress=progress).path}\n")


def describe_pull(plan: PullPlan) -> list[str]:
    """Return the lines to show before a download: model, licence, size, free space."""
    lines = [f"{plan.name} from {remote_page(plan)}"]
    if plan.card is not None:
        lines.append(f"licence: {plan.card.licence_text}")
        if plan.card.family not in family_names():
            lines.append(f"note: this version has no prompt family {plan.card.family!r} to judge with it yet")
    begun = plan.total_bytes - plan.needed_bytes
    here = f" ({human_size(begun)} of it is here already)" if begun else ""
    lines.append(
        f"size: {human_size(plan.total_bytes)}{here}, free: {human_size(plan.free_bytes)} in {plan.folder}"
    )
    return lines


def remote_page(plan: PullPlan) -> str:
    """Return where a download comes from: the repository, and how many files of it."""
    count = len(plan.remotes)
    return f"{plan.file.repo}, {count} files" if count > 1 else f"{plan.file.repo}"
