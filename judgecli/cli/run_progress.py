"""How far a run is: a bar on a terminal, a plain line now and then elsewhere, nothing when quiet."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from judgecli.cli.console import bar_console, draws_bars, say
from judgecli.run import PreparedRun, Progress

LINE_EVERY_S = 20.0


@contextmanager
def run_progress(run: PreparedRun, *, quiet: bool) -> Iterator[Callable[[Progress], None]]:
    """Yield the function that `execute` tells its progress."""
    if quiet or not run.open:
        yield lambda _: None
    elif draws_bars():
        with _bar(len(run.open)) as observe:
            yield observe
    else:
        yield _PlainLines()


@contextmanager
def _bar(n_total: int) -> Iterator[Callable[[Progress], None]]:
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
    from rich.progress import Progress as Bars

    columns = (
        TextColumn("judging", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[left]}"),
    )
    started_s = time.monotonic()
    with Bars(*columns, console=bar_console(), transient=True) as bars:
        task = bars.add_task("", total=n_total, left="")

        def observe(progress: Progress) -> None:
            bars.update(
                task, completed=progress.n_done, left=time_left(progress, time.monotonic() - started_s)
            )

        yield observe


class _PlainLines:
    def __init__(self) -> None:
        self.started_s = self.last_s = time.monotonic()

    def __call__(self, progress: Progress) -> None:
        now_s = time.monotonic()
        if now_s - self.last_s < LINE_EVERY_S or progress.n_done == progress.n_total:
            return
        self.last_s = now_s
        left = time_left(progress, now_s - self.started_s)
        say(f"judged {progress.n_done} of {progress.n_total}, {left}")


def time_left(progress: Progress, elapsed_s: float) -> str:
    """Return how long the rest takes at the speed so far, in prompt tokens."""
    if not progress.n_tokens_done:
        return ""
    rest = progress.n_tokens_total - progress.n_tokens_done
    return f"{duration(elapsed_s * rest / progress.n_tokens_done)} left"


def duration(seconds: float) -> str:
    """Return a duration for people: 8 s, 3 min, 2 h 5 min."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"
