"""Errors as exit codes: whoever reads a file says that it cannot be read, with the code of its kind."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_type_hints

import pytest
import typer

from judgecli.cli import app
from judgecli.cli.exits import exits
from tests.conftest import Judge
from tests.judging import script, two_files
from tests.labelling import label_rows, write_labels
from tests.processes import done_judge

RUN, CLOSED = "a-vs-b.judge.jsonl", "closed.jsonl"
READ, READ_RUN = "cannot be read (Permission denied)", "cannot read the run file (Permission denied)"


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX permissions")
@pytest.mark.parametrize(
    ("code", "said", "arguments"),
    [
        (3, READ_RUN, ("report", CLOSED)),
        (3, READ, ("report", RUN, "--labels", CLOSED)),
        (3, READ_RUN, ("diff", CLOSED, RUN)),
        (3, READ_RUN, ("diff", RUN, CLOSED)),
        (3, READ, ("agree", CLOSED, "labels.jsonl")),
        (3, READ, ("agree", RUN, CLOSED)),
        (3, READ_RUN, ("validate", CLOSED, "labels.jsonl")),
        (3, READ_RUN, ("calibrate", CLOSED, "labels.jsonl", "-o", "cal.json")),
        (6, "there already and not a calibration", ("calibrate", RUN, "labels.jsonl", "-o", CLOSED)),
        (3, READ_RUN, ("chat", CLOSED, "--id", "q1", "--ask", "Why?")),
        (3, READ, ("inspect", CLOSED)),
        (3, READ, ("pair", CLOSED, "b.jsonl")),
        (6, "cannot be used (Permission denied)", ("pair", "a.jsonl", "b.jsonl", "--out", CLOSED)),
        (
            3,
            "cannot read the calibration (Permission denied)",
            ("pair", "a.jsonl", "b.jsonl", "--calibration", CLOSED),
        ),
        (
            4,
            "cannot read the script (Permission denied)",
            ("pair", "a.jsonl", "b.jsonl", "--model", f"scripted:{CLOSED}"),
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_a_file_that_may_not_be_read(
    judge: Judge, folder: Path, code: int, said: str, arguments: tuple[str, ...]
) -> None:
    two_files(folder, ["x"], ["y"])
    model = script(folder, "9 3")
    assert judge("pair", "a.jsonl", "b.jsonl", *model, "-q").code == 0
    write_labels(folder, label_rows("A"))
    Path(CLOSED).write_bytes(Path(RUN).read_bytes())
    Path(CLOSED).chmod(0)
    asked = (*model, *arguments[3:]) if arguments[0] == "pair" else arguments[3:]
    done = done_judge(folder, *arguments[:3], *asked, is_almighty=False)
    assert done.code == code
    assert CLOSED in done.out + done.err
    assert said in done.out + done.err
    assert "Usage:" not in done.err


def path_parameters() -> Iterator[tuple[str, Any]]:
    """Yield the parameters of all commands that are paths, each with what Typer is told of it."""
    groups = [app, *(group.typer_instance for group in app.registered_groups if group.typer_instance)]
    for command in (command for group in groups for command in group.registered_commands):
        assert command.callback is not None
        for name, hint in get_type_hints(command.callback, include_extras=True).items():
            if "Path" in str(hint):
                yield name, hint.__metadata__[0]


def test_no_path_is_looked_at_before_its_command_does() -> None:
    paths = list(path_parameters())
    assert {name for name, _ in paths} >= {"run", "out", "report", "files", "first", "calibration"}
    assert [name for name, told in paths if told.readable or told.exists] == []


def test_memory_that_is_spent_is_an_input_too_large(capsys: pytest.CaptureFixture[str]) -> None:
    @exits
    def command() -> None:
        raise MemoryError

    with pytest.raises(typer.Exit) as raised:
        command()
    assert raised.value.exit_code == 3
    assert capsys.readouterr().err.startswith("judge: there is not enough memory for these inputs; ")
