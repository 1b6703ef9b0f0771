"""Whatever a run file or a calibration holds: it is read and reported on, or refused in one sentence."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from typer.testing import CliRunner

from judgecli import reports
from judgecli.analysis import summarise
from judgecli.cli import app
from judgecli.errors import DataError
from judgecli.run import load_run
from judgecli.run.calibration_file import calibration_text, read_calibration
from tests.any_text import damaged, quietly, values
from tests.judging import answers, prefers, script, write_jsonl
from tests.run.test_calibration_file import summary

MODES = ("cascade", "ranking", "joint", "grades")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Any]]:
    """The rows of a run of each mode, by the mode."""
    folder = tmp_path_factory.mktemp("runs")
    names = [str(write_jsonl(folder / f"{name}.jsonl", told)) for name, told in answer_rows().items()]
    two = script(folder, {"id": "q2", "reply": "9 3"}, {"id": "q3", "reply": "no"}, *prefers("GOOD"))
    script(folder, {"order": "ABC", "reply": "8 6 4"}, {"reply": "5 5 9"}, name="three.jsonl")
    script(folder, {"id": "q1", "reply": "no"}, {"reply": "7"}, name="one.jsonl")
    write_jsonl(folder / "r.jsonl", [{"id": f"q{n}", "reference": "x"} for n in (1, 2, 3)])
    model = [word.replace("judge.jsonl", str(folder / "judge.jsonl")) for word in two]
    judgelm = ("--prompt", "judgelm", "--model")
    commands: dict[str, list[str]] = {
        "cascade": ["pair", *names[:2], *model, "--escalate", model[1], "--failed"],
        "ranking": ["rank", *names, *model],
        "joint": ["rank", *names, *judgelm, f"scripted:{folder}/three.jsonl", "--mode", "joint"],
        "grades": [
            "grade",
            names[0],
            "--reference",
            f"{folder}/r.jsonl",
            *judgelm,
            f"scripted:{folder}/one.jsonl",
        ],
    }
    return {mode: rows_of(folder / f"{mode}.jsonl", words) for mode, words in commands.items()}


def answer_rows() -> dict[str, list[Any]]:
    texts = {"a": ("GOOD", "poor", "GOOD"), "b": ("bad", "GOOD", ""), "c": ("awful", "awful", "fine")}
    return {name: answers(*told, category="x") for name, told in texts.items()}


def rows_of(path: Path, command: list[str]) -> list[Any]:
    result = CliRunner().invoke(app, [*command, "--out", str(path)])
    assert result.exit_code == 0, result.stderr
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def places_in(value: Any) -> list[tuple[Any, Any]]:
    """Return every place within a row: what holds it, and under which key."""
    keys = list(value) if isinstance(value, dict) else range(len(value))
    own = [(value, key) for key in keys]
    inner = [value[key] for key in keys if isinstance(value[key], dict | list)]
    return [*own, *(place for one in inner for place in places_in(one))]


def report_or_refuse(path: Path, rows: list[Any]) -> None:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    try:
        record = load_run(path)
        made = summarise(record)
        for form in reports.formats():
            assert reports.render(form, record, made)
    except DataError as error:
        refusal = str(error)
        assert "\n" not in refusal


@pytest.mark.parametrize("mode", MODES)
@quietly
@given(data=st.data())
def test_run_files_with_an_odd_place(
    tmp_path: Path, runs: dict[str, list[Any]], mode: str, data: st.DataObject
) -> None:
    rows = copy.deepcopy(runs[mode])
    row = rows[data.draw(st.integers(0, len(rows) - 1))]
    for _ in range(data.draw(st.integers(1, 3))):
        places = places_in(row)
        if not places:
            break
        holder, key = places[data.draw(st.integers(0, len(places) - 1))]
        if data.draw(st.booleans()):
            del holder[key]
        else:
            holder[key] = data.draw(values)
    report_or_refuse(tmp_path / "run.jsonl", rows)


@pytest.mark.parametrize("mode", MODES)
@quietly
@given(data=st.data())
def test_run_files_of_rows_gone_doubled_and_of_another_run(
    tmp_path: Path, runs: dict[str, list[Any]], mode: str, data: st.DataObject
) -> None:
    other = runs[data.draw(st.sampled_from(MODES))]
    drawn = data.draw(st.lists(st.sampled_from([*runs[mode], *other]), max_size=12))
    report_or_refuse(tmp_path / "run.jsonl", [runs[mode][0], *drawn])
    report_or_refuse(tmp_path / "run.jsonl", [*runs[mode], *drawn])


@quietly
@given(data=st.data())
@example(data=None)
def test_calibrations(tmp_path: Path, data: Any) -> None:
    text = calibration_text(summary())
    path = tmp_path / "cal.json"
    path.write_bytes((data.draw(damaged(text)) if data else "[" * 5000).encode("utf-8", "surrogatepass"))
    try:
        calibration = read_calibration(path)
    except DataError as error:
        refusal = str(error)
        assert "\n" not in refusal
    else:
        assert calibration.temperature > 0
        assert calibration.threshold is None or 0 <= calibration.threshold <= 1
