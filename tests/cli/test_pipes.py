"""Inputs that are pipes: named ones, `<(...)` and stdin are read once, and work like files."""

import os
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.conftest import JUDGE, Judge
from tests.judging import prefers, script, write_jsonl
from tests.labelling import RUN, label_rows, pair_rows, two_answer_files, write_labels
from tests.processes import shell

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
JUDGED = ("A", "B", "B", "tie")
LABELS = ("A", "B", "A", "A")
Piped = Callable[[str], str]


@pytest.fixture
def piped(folder: Path) -> Iterator[Piped]:
    """Put a file into a pipe, and return the name of the pipe."""
    writers = []

    def put(file: str) -> str:
        name = f"{file}.pipe"
        os.mkfifo(name)
        writers.append(
            threading.Thread(target=Path(name).write_bytes, args=(Path(file).read_bytes(),), daemon=True)
        )
        writers[-1].start()
        return name

    yield put
    for writer in writers:
        writer.join(10)
        assert not writer.is_alive(), "nobody read the pipe"


def flat(text: str, name: str, there: str) -> list[str]:
    """Return the words of a report, wherever its lines end, with another name of an input."""
    return text.replace(name, there).split()


@pytest.fixture
def model(folder: Path) -> tuple[str, ...]:
    return script(folder, *prefers("GOOD"))


@pytest.fixture
def pairs(folder: Path) -> str:
    rows = [
        {**row, "winner": label, "topic": "xy"[n % 2]}
        for n, (row, label) in enumerate(zip(pair_rows(JUDGED), LABELS, strict=True))
    ]
    return write_jsonl(folder / "pairs.jsonl", rows).name


@pytest.fixture
def labels(folder: Path) -> str:
    return write_labels(folder, label_rows(LABELS))


def test_labels_are_recognised(judge: Judge, labels: str, piped: Piped) -> None:
    there = judge("inspect", labels).out
    assert "format       labels" in there
    pipe = piped(labels)
    assert judge("inspect", pipe).out == there.replace(labels, pipe)
    stdin = Path(labels).read_text(encoding="utf-8")
    assert judge("inspect", "-", stdin=stdin).out == there.replace(labels, "stdin")


def test_what_is_no_answer_file_is_refused(judge: Judge, folder: Path, piped: Piped) -> None:
    (folder / "x").write_text("x\n", encoding="utf-8")
    done = judge("inspect", piped("x"))
    assert (done.code, "x.pipe:1: neither JSON nor a CSV header" in done.out) == (3, True)


@pytest.mark.parametrize("more", [(), ("--by", "topic"), ("--label-field", "winner")])
def test_labelled_pairs_are_judged(
    judge: Judge, pairs: str, model: tuple[str, ...], piped: Piped, more: tuple[str, ...]
) -> None:
    there = judge("agree", pairs, *model, *more, "-q").out
    assert "on 50.0%" in there
    done = judge("agree", piped(pairs), *model, *more, "-q")
    assert flat(done.out, f"{pairs}.pipe", pairs) == there.split()
    stdin = Path(pairs).read_text(encoding="utf-8")
    done = judge("agree", "-", *model, *more, "-q", stdin=stdin)
    assert flat(done.out, "stdin", pairs) == there.split()


def test_a_run_is_held_against_labels(
    judge: Judge, folder: Path, model: tuple[str, ...], labels: str, piped: Piped
) -> None:
    two_answer_files(folder, JUDGED)
    assert judge("pair", "a.jsonl", "b.jsonl", *model, "-q").code == 0
    there = judge("agree", RUN, labels).out
    assert "on 50.0%" in there
    assert judge("agree", piped(str(RUN)), labels).out == there
    assert judge("agree", "-", labels, stdin=RUN.read_text(encoding="utf-8")).out == there


def test_so_are_verdicts_made_elsewhere(judge: Judge, folder: Path, labels: str, piped: Piped) -> None:
    write_jsonl(folder / "verdicts.jsonl", label_rows(JUDGED))
    there = judge("agree", "verdicts.jsonl", labels).out
    assert "on 50.0%" in there
    done = judge("agree", piped("verdicts.jsonl"), labels)
    assert flat(done.out, ".pipe", "") == there.split()
    done = judge("agree", "-", labels, stdin=Path("verdicts.jsonl").read_text(encoding="utf-8"))
    assert flat(done.out, "stdin", "verdicts.jsonl") == there.split()


def test_a_calibration_is_fitted_to_neither_twice(judge: Judge, labels: str) -> None:
    done = judge("calibrate", "-", "-", "-o", "cal.json")
    assert (done.code, done.sentence) == (
        2,
        "stdin (-) can be read once; give it for one of the inputs only",
    )


def test_the_rules_of_a_scripted_judge(
    judge: Judge, folder: Path, model: tuple[str, ...], piped: Piped
) -> None:
    two_answer_files(folder, JUDGED)
    there = judge("pair", "a.jsonl", "b.jsonl", *model, "-q", "--format", "json").report
    pipe = piped("judge.jsonl")
    done = judge("pair", "a.jsonl", "b.jsonl", "--model", f"scripted:{pipe}", *model[2:], "-q", "--fresh")
    assert (done.code, done.err) == (0, "")
    again = judge("report", RUN, "--format", "json").report
    assert again["counts"] == there["counts"]


@pytest.mark.skipif(shutil.which("bash") is None, reason="a shell's substitutions")
def test_process_substitutions(pairs: str, model: tuple[str, ...], labels: str) -> None:
    rules = f"--model scripted:<(cat {model[1].partition(':')[2]}) {' '.join(model[2:])}"
    code, out, err = shell(f"{' '.join(JUDGE)} agree <(cat {pairs}) <(cat {labels}) {rules} -q")
    assert (code, err) == (0, "")
    assert "on 50.0% [" in out
