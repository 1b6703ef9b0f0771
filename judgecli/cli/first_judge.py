"""Without --model and without JudgeLM in the cache: offer to fetch it, on a terminal only."""

import sys

from judgecli import registry
from judgecli.cli.asking import agreed
from judgecli.cli.console import say
from judgecli.cli.pull import describe_pull
from judgecli.cli.transfer_progress import transfer_progress
from judgecli.errors import ModelError


def offer_default_model(*, offline: bool) -> None:
    """Offer to fetch the default judge if it is not here; where nobody can answer, the run says what to do.

    Raises:
        ModelError: the offer was declined, or the download failed.
    """
    asking = sys.stdin.isatty() and sys.stderr.isatty() and not offline
    if not asking or registry.default_model() is not None:
        return
    progress = transfer_progress()
    try:
        plan = registry.plan_pull(registry.DEFAULT_MODEL, progress=progress)
    except ModelError as error:
        message = f"no judge model is here and none can be fetched now ({error})"
        raise ModelError(f"{message}; name one with --model (`--model demo` tries the tool)") from error
    for line in describe_pull(plan):
        say(line)
    plan.check_space()
    if not agreed(f"No judge model is here. Download {plan.name}?", default=True):
        message = f"no judge model: fetch one with `judge pull {registry.DEFAULT_MODEL}`"
        raise ModelError(f"{message}, or name one with --model")
    registry.download(plan, progress=progress)
