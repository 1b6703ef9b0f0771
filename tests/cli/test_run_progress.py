"""Progress on a log: a plain line now and then, with the time that is left."""

import pytest

from judgecli.cli import run_progress as shown
from judgecli.run import Progress
from judgecli.types import Judgment, Order


def progress(n_done: int, n_tokens_done: int) -> Progress:
    judgment = Judgment(item_id="q1", order=Order.AB, prompt_hash="")
    return Progress(
        n_done=n_done, n_total=10, n_tokens_done=n_tokens_done, n_tokens_total=1000, judgment=judgment
    )


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0 s"), (8.4, "8 s"), (89, "89 s"), (90, "2 min"), (3600, "60 min"), (7500, "2 h 5 min")],
)
def test_durations(seconds: float, text: str) -> None:
    assert shown.duration(seconds) == text


def test_the_rest_takes_as_long_as_its_tokens() -> None:
    assert shown.time_left(progress(1, 100), elapsed_s=2.0) == "18 s left"
    assert shown.time_left(progress(1, 0), elapsed_s=2.0) == ""


def test_a_line_every_20_seconds(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    clock = [0.0]
    monkeypatch.setattr("time.monotonic", lambda: clock[0])
    observe = shown._PlainLines()
    for n_done, now_s in ((1, 5.0), (2, 21.0), (3, 25.0), (4, 42.0), (10, 90.0)):
        clock[0] = now_s
        observe(progress(n_done, 100 * n_done))
    assert capsys.readouterr().err.splitlines() == ["judged 2 of 10, 84 s left", "judged 4 of 10, 63 s left"]
