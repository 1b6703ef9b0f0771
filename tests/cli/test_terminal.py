"""What a person at a terminal sees: an offer to fetch a judge, and a progress bar."""

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from judgecli.cli.first_judge import offer_default_model
from judgecli.errors import ModelError
from tests.conftest import JUDGE
from tests.gguf_files import gguf_bytes
from tests.judging import last_rows, script, two_files
from tests.registry.hub import FakeHub, Repo
from tests.registry.layout import JUDGELM, JUDGELM_Q4, cached

pty = pytest.importorskip("pty")
MODEL = gguf_bytes()


class Typed(io.StringIO):
    """A terminal on which this was typed."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def judgelm(hub: FakeHub) -> FakeHub:
    """A hub with JudgeLM 7B, none of it in the cache."""
    hub.repos[JUDGELM] = Repo({JUDGELM_Q4: MODEL})
    return hub


def sit_down(monkeypatch: pytest.MonkeyPatch, typed: str) -> None:
    """Put a person at a terminal, who types this."""
    monkeypatch.setattr(sys, "stdin", Typed(typed))
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)


def test_a_declined_offer_downloads_nothing(
    judgelm: FakeHub, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sit_down(monkeypatch, "n\n")
    with pytest.raises(ModelError, match="fetch one with `judge pull judgelm-7b`"):
        offer_default_model(offline=False)
    err = capsys.readouterr().err
    assert f"size: {len(MODEL)} B" in err
    assert "licence: LLaMA licence (non-commercial)" in err
    assert "No judge model is here. Download judgelm-7b:Q4_K_M? [Y/n]" in err
    assert judgelm.downloads() == []


def test_an_accepted_offer_downloads(judgelm: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    sit_down(monkeypatch, "\n")
    offer_default_model(offline=False)
    assert len(judgelm.downloads()) == 1
    offer_default_model(offline=False)
    assert len(judgelm.downloads()) == 1


def test_nobody_is_asked_offline_or_without_a_terminal(
    judgelm: FakeHub, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sit_down(monkeypatch, "y\n")
    offer_default_model(offline=True)
    monkeypatch.setattr(sys, "stdin", io.StringIO("y\n"))
    offer_default_model(offline=False)
    assert capsys.readouterr().err == ""
    assert judgelm.seen == []


def test_nobody_is_asked_where_a_judge_is_here(judgelm: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    sit_down(monkeypatch, "y\n")
    cached(JUDGELM, JUDGELM_Q4, MODEL)
    offer_default_model(offline=False)
    assert judgelm.seen == []


def on_a_terminal(*arguments: str, typed: str = "", **environment: str) -> tuple[int, str, str]:
    """Run `judge` with stdin and stderr on a terminal; return exit code, stdout, and what was shown."""
    primary, secondary = pty.openpty()
    process = subprocess.Popen(
        [*JUDGE, *arguments],
        stdin=secondary,
        stdout=subprocess.PIPE,
        stderr=secondary,
        text=True,
        env={**os.environ, "TERM": "xterm", **environment},
    )
    os.close(secondary)
    os.write(primary, typed.encode())
    shown = b""
    while True:
        try:
            chunk = os.read(primary, 4096)
        except OSError:  # the other side is closed
            break
        if not chunk:
            break
        shown += chunk
    os.close(primary)
    out = process.communicate(timeout=60)[0]
    return process.returncode, out, shown.decode()


def test_a_whole_command_on_a_terminal_offers_the_judge(judgelm: FakeHub, folder: Path) -> None:
    two_files(folder, ["x"], ["y"])
    code, out, shown = on_a_terminal("pair", "a.jsonl", "b.jsonl", typed="n\n")
    assert (code, out) == (4, "")
    assert "Download judgelm-7b:Q4_K_M? [Y/n]" in shown
    assert "Traceback" not in shown


@pytest.mark.parametrize(("environment", "is_drawn"), [({}, True), ({"NO_COLOR": "1"}, False)])
def test_progress_is_a_bar_on_a_terminal(folder: Path, environment: dict[str, str], is_drawn: bool) -> None:
    two_files(folder, ["x"] * 3, ["y"] * 3)
    model = script(folder, {"reply": "9 3", "seconds": 0.05})
    code, out, shown = on_a_terminal("pair", "a.jsonl", "b.jsonl", *model, **environment)
    assert code == 0
    assert "\x1b" not in out
    assert ("\x1b" in shown) is is_drawn
    assert ("judging" in shown) is is_drawn
    assert len(last_rows(folder / "a-vs-b.judge.jsonl")) == 6
