"""A disk that is full: what was judged stays, one sentence says so, and no report is there by half."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import Judge
from tests.judging import last_rows, prefers, read_rows, script, two_files, write_jsonl
from tests.labelling import label_rows, sure_verdicts, write_labels
from tests.processes import done_judge

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="POSIX limits")
RUN = Path("a-vs-b.judge.jsonl")
N_PAIRS, TEXT = 8, "word " * 40
PAIR = ("pair", "a.jsonl", "b.jsonl")
WINNERS = "AB" * 30


@pytest.fixture
def model(folder: Path) -> tuple[str, ...]:
    """A cascade: half of the pairs are handed to a stronger judge; both write at length."""
    two_files(folder, [f"GOOD {TEXT}"] * N_PAIRS, [f"poor {TEXT}"] * N_PAIRS)
    half = [{"id": f"q{n}", "reply": f"9 3\n{TEXT}"} for n in range(1, N_PAIRS, 2)]
    rules = [{**rule, "reply": f"{rule['reply']}\n{TEXT}"} for rule in prefers("GOOD")]
    stronger = script(folder, *rules, name="stronger.jsonl")
    return (*script(folder, *half, *rules), "--escalate", stronger[1])


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 64 KiB of its own; skips where none can be mounted."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(place)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("no file system can be mounted")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=False)


def test_it_fills_up_anywhere_in_a_run(judge: Judge, folder: Path, model: tuple[str, ...]) -> None:
    assert judge(*PAIR, *model, "--out", "whole.jsonl").code == 0
    whole = last_rows(Path("whole.jsonl"))
    n_bytes = Path("whole.jsonl").stat().st_size
    n_judged = []
    for max_file_bytes in range(500, n_bytes, n_bytes // 6):
        RUN.unlink(missing_ok=True)
        done = done_judge(folder, *PAIR, *model, max_file_bytes=max_file_bytes)
        assert (done.code, done.out) == (6, "")
        assert done.sentence == f"{RUN}: cannot write the run file (File too large); name another with --out"
        kept = RUN.read_bytes().rpartition(b"\n")[0]
        n_judged.append(kept.count(b'"row": "judgment"'))
        assert judge("report", RUN, "--format", "json").code == (0 if kept else 3)
    assert n_judged[0] == 0 < n_judged[-2] < n_judged[-1]
    assert judge(*PAIR, *model).code == 0
    assert RUN.read_bytes().startswith(kept)
    assert last_rows(RUN) == whole
    assert len(read_rows(RUN, "judgment")) == len(read_rows(Path("whole.jsonl"), "judgment"))


def test_a_file_system_that_is_full_while_judging(
    judge: Judge, folder: Path, model: tuple[str, ...], disk: Path
) -> None:
    ballast = disk / "ballast"
    ballast.write_bytes(bytes(44 * 1024))
    run = disk / "run.jsonl"
    done = judge(*PAIR, *model, "--out", run)
    assert (done.code, done.out) == (6, "")
    assert done.sentence == (
        f"{run}: cannot write the run file (No space left on device); name another with --out"
    )
    assert [path.name for path in disk.glob("*.lock")] == []
    kept = run.read_bytes().rpartition(b"\n")[0]
    assert b'"row": "judgment"' in kept
    ballast.unlink()
    assert judge(*PAIR, *model, "--out", run).code == 0
    assert run.read_bytes().startswith(kept)
    assert len(last_rows(run)) == 2 * N_PAIRS


@pytest.mark.parametrize("suffix", ["md", "json", "txt"])
def test_a_file_system_that_is_full_while_reporting(
    judge: Judge, folder: Path, model: tuple[str, ...], disk: Path, suffix: str
) -> None:
    judge(*PAIR, *model)
    (disk / "ballast").write_bytes(bytes(63 * 1024 - 512))
    for command in (("report", RUN), (*PAIR, *model)):
        done = judge(*command, "-r", disk / f"r.{suffix}")
        assert (done.code, done.out) == (6, "")
        assert done.sentence == f"{disk}/r.{suffix}: cannot write the report (No space left on device)"
        assert [path.name for path in disk.iterdir()] == ["ballast"]


def test_a_report_that_is_there_outlives_a_disk_that_is_full(
    judge: Judge, folder: Path, model: tuple[str, ...]
) -> None:
    judge(*PAIR, *model, "-r", "r.md")
    old = Path("r.md").read_bytes()
    before = sorted(folder.iterdir())
    done = done_judge(folder, "report", RUN, "-r", "r.md", max_file_bytes=200)
    assert (done.code, done.out) == (6, "")
    assert done.sentence == "r.md: cannot write the report (File too large)"
    assert Path("r.md").read_bytes() == old
    assert {*folder.iterdir()} - {*before} == {folder / "stdout.txt", folder / "stderr.txt"}


def test_a_calibration_is_whole_or_not_there(judge: Judge, folder: Path) -> None:
    write_jsonl(folder / "verdicts.jsonl", sure_verdicts(WINNERS, wrong=range(1, 60, 20)))
    command = ("calibrate", "verdicts.jsonl", write_labels(folder, label_rows(WINNERS)), "-o", "cal.json")
    done = done_judge(folder, *command, max_file_bytes=100)
    assert (done.code, done.out) == (6, "")
    assert done.sentence == "cal.json: cannot write the calibration (File too large)"
    assert not Path("cal.json").exists()


def test_a_report_that_is_interrupted_leaves_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from judgecli.run.whole_file import write_whole

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_whole(folder / "r.md", "x")
    assert list(folder.iterdir()) == []
