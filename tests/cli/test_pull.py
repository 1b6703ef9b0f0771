import io
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from judgecli.cli import app
from judgecli.cli.pull import pull
from judgecli.cli.transfer_progress import TransferBar, TransferLines, transfer_progress
from judgecli.errors import ModelError
from tests.gguf_files import Tensor, gguf_bytes
from tests.registry.hub import FakeHub, Repo
from tests.registry.layout import JUDGELM, JUDGELM_Q4

MODEL = gguf_bytes(tensors=[Tensor("token_embd.weight", (4096, 16))])
STALE = "hf_staleSecretToken123"


class Terminal(io.StringIO):
    """A terminal on which this was typed."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def judgelm(hub: FakeHub, monkeypatch: pytest.MonkeyPatch) -> FakeHub:
    """A hub with JudgeLM 7B, and no terminal to ask on."""
    hub.repos[JUDGELM] = Repo({JUDGELM_Q4: MODEL})
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    for name in ("FORCE_COLOR", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    return hub


def test_licence_and_size_come_before_the_download(
    judgelm: FakeHub, capsys: pytest.CaptureFixture[str]
) -> None:
    pull("judgelm-7b")
    out, err = capsys.readouterr()
    assert err.splitlines()[0] == f"judgelm-7b:Q4_K_M from {JUDGELM}"
    assert "licence: LLaMA licence (non-commercial)" in err
    assert "size: 262 kB, free: " in err
    assert out.strip().endswith(JUDGELM_Q4)
    assert len(out.splitlines()) == 1


def test_no_escape_code_is_written_where_there_is_no_terminal(
    judgelm: FakeHub, capsys: pytest.CaptureFixture[str]
) -> None:
    pull("judgelm-7b")
    assert "\x1b" not in "".join(capsys.readouterr())


def test_a_second_pull_says_that_it_is_here(judgelm: FakeHub, capsys: pytest.CaptureFixture[str]) -> None:
    pull("judgelm-7b")
    first = capsys.readouterr().out
    pull("judgelm-7b")
    out, err = capsys.readouterr()
    assert out == first
    assert err == "judgelm-7b:Q4_K_M is here already\n"


@pytest.mark.parametrize(
    ("answer", "n_downloads"), [("y\n", 1), ("Yes\n", 1), ("\n", 1), ("n\n", 0), ("", 0), ("what?\n", 0)]
)
def test_a_terminal_is_asked(
    judgelm: FakeHub,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    answer: str,
    n_downloads: int,
) -> None:
    monkeypatch.setattr(sys, "stdin", Terminal(answer))
    pull("judgelm-7b")
    out, err = capsys.readouterr()
    assert "Download it?" in err
    assert "Download it?" not in out
    assert len(judgelm.downloads()) == n_downloads
    assert ("nothing was downloaded" in err) == (out == "") == (n_downloads == 0)


def test_yes_does_not_ask(
    judgelm: FakeHub, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", Terminal("n\n"))
    pull("judgelm-7b", yes=True)
    assert "Download it?" not in capsys.readouterr().err
    assert len(judgelm.downloads()) == 1


def test_what_an_interrupted_pull_left_is_counted(
    judgelm: FakeHub, capsys: pytest.CaptureFixture[str]
) -> None:
    judgelm.cuts = [100_000] + [0] * 10
    with pytest.raises(ModelError, match="the same command goes on from there"):
        pull("judgelm-7b")
    judgelm.cuts = []
    capsys.readouterr()
    pull("judgelm-7b")
    assert "size: 262 kB (100 kB of it is here already), free: " in capsys.readouterr().err


def test_no_space_is_said_after_the_sizes_and_before_the_question(
    judgelm: FakeHub, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("judgecli.registry.pulling._free_bytes", lambda folder: 10)
    monkeypatch.setattr(sys, "stdin", Terminal("y\n"))
    with pytest.raises(ModelError, match="judgelm-7b:Q4_K_M needs 262 kB more"):
        pull("judgelm-7b")
    err = capsys.readouterr().err
    assert "free: 10 B" in err
    assert "Download it?" not in err


def test_a_stale_token_is_warned_of_and_never_printed(
    judgelm: FakeHub, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HF_TOKEN", STALE)
    pull("judgelm-7b")
    out, err = capsys.readouterr()
    assert "warning: the hub refused your token" in err
    assert STALE not in out + err


def test_a_split_model_says_how_many_files(hub: FakeHub, capsys: pytest.CaptureFixture[str]) -> None:
    from tests.gguf_files import shard_bytes

    shards = {f"m-{n:05d}-of-00002.gguf": data for n, data in enumerate(shard_bytes(2), 1)}
    hub.repos["org/repo"] = Repo(shards)
    pull("hf:org/repo/m-00001-of-00002.gguf", yes=True)
    assert "from org/repo, 2 files" in capsys.readouterr().err


def test_lines_only_for_what_takes_long(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = [0.0]
    monkeypatch.setattr("time.monotonic", lambda: clock[0])
    lines = TransferLines()
    lines.start("[a] m.gguf", 4_000_000_000, 1_000_000_000)
    for now_s in (1.0, 2.0, 3.0, 17.0, 20.0):
        clock[0] = now_s
        lines.advance(100_000_000)
    lines.stop()
    assert capsys.readouterr().err.splitlines() == [
        "[a] m.gguf: 1.20 GB of 4.00 GB (30%), 100 MB/s",
        "[a] m.gguf: 1.40 GB of 4.00 GB (35%), 23.5 MB/s",
        "[a] m.gguf: 1.50 GB of 4.00 GB (38%), 25.0 MB/s",
    ]


def test_a_short_step_prints_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    lines = TransferLines()
    lines.start("m.gguf", 10)
    lines.advance(10)
    lines.stop()
    assert capsys.readouterr().err == ""


def test_forced_colour_does_not_make_a_log_file_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert isinstance(transfer_progress(), TransferLines)


def test_a_terminal_has_a_bar(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    progress = transfer_progress()
    assert isinstance(progress, TransferBar)
    progress.start("[red]m.gguf", 1000)
    progress.advance(1000)
    progress.warn("mind [this]")
    progress.stop()
    err = capsys.readouterr().err
    assert "[red]m.gguf" in err
    assert "warning: mind [this]" in err


def test_quiet_shows_warnings_only(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setattr("judgecli.cli.transfer_progress.FIRST_LINE_S", -1.0)
    progress = transfer_progress(quiet=True)
    progress.start("m.gguf", 1000)
    progress.advance(1000)
    progress.stop()
    assert capsys.readouterr().err == ""
    progress.warn("mind this")
    assert "warning: mind this" in capsys.readouterr().err


def test_the_app_turns_a_refusal_into_one_line_and_exit_4(judgelm: FakeHub) -> None:
    result = CliRunner().invoke(app, ["pull", "hf:org/gone/m.gguf"])
    assert result.exit_code == 4
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    assert line.startswith("judge: org/gone does not exist, or is private or gated")


def test_the_printed_path_holds_the_model(judgelm: FakeHub, capsys: pytest.CaptureFixture[str]) -> None:
    pull("judgelm-7b")
    path = capsys.readouterr().out.strip()
    assert Path(path).read_bytes() == MODEL
