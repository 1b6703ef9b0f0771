"""How far a run is: a bar on a terminal, a plain line now and then elsewhere, nothing when quiet."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from judgecli.cli.console import bar_console, draws_bars, say
from judgecli.run import EntropyProgress, PreparedRun, Progress
from judgecli.types import JUDGE_MODEL

LINE_EVERY_S = 20.0


@contextmanager
def run_progress(run: PreparedRun, *, quiet: bool) -> Iterator[Callable[[Progress], None]]:
    """Yield the function that `execute` tells its progress."""
    if quiet or not (run.open or run.second):
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
        TextColumn("{task.fields[doing]}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[left]}"),
    )
    started_s = time.monotonic()
    with Bars(*columns, console=bar_console(), transient=True) as bars:
        task = bars.add_task("", total=n_total, left="", doing="judging")

        def observe(progress: Progress) -> None:
            nonlocal started_s
            if progress.n_done == 1 and progress.judgment.judge:  # the stronger judge begins
                started_s = time.monotonic()
            bars.update(
                task,
                total=progress.n_total,
                completed=progress.n_done,
                left=time_left(progress, time.monotonic() - started_s),
                doing="escalating" if progress.judgment.judge else "judging",
            )

        yield observe


class _PlainLines:
    def __init__(self) -> None:
        self.started_s = self.last_s = time.monotonic()

    def __call__(self, progress: Progress) -> None:
        now_s = time.monotonic()
        if progress.n_done == 1 and progress.judgment.judge:
            self.started_s = now_s
        if now_s - self.last_s < LINE_EVERY_S or progress.n_done == progress.n_total:
            return
        self.last_s = now_s
        left = time_left(progress, now_s - self.started_s)
        done = "escalated" if progress.judgment.judge else "judged"
        say(f"{done} {progress.n_done} of {progress.n_total}, {left}")


def entropy_progress(*, quiet: bool) -> Callable[[EntropyProgress], None]:
    """Return the function that the measuring of entropies tells its progress: a plain line now and then."""
    last_s = time.monotonic()

    def observe(progress: EntropyProgress) -> None:
        nonlocal last_s
        now_s = time.monotonic()
        if not quiet and now_s - last_s >= LINE_EVERY_S and progress.n_done < progress.n_total:
            last_s = now_s
            whose = "the judge's" if progress.model == JUDGE_MODEL else "the base model's"
            say(f"measured {whose} entropy of {progress.n_done} of {progress.n_total} texts")

    return observe


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
