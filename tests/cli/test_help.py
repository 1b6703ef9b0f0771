"""Help that is read at 80 columns, shows an example, and names the exit codes."""

import re

import pytest

import judgecli
from judgecli.errors import DataError, JudgeError, ModelError, NothingJudgedError, OutputError, UsageError
from tests.conftest import Judge

COMMANDS = [
    *("pair", "grade", "rank", "agree", "validate", "calibrate", "report"),
    *("power", "diff", "chat", "inspect", "bench", "doctor", "pull"),
    *("models ls", "models show", "models verify", "models rm", "prompt show"),
    *("cache info", "cache clear"),
]


@pytest.mark.parametrize("command", ["", *COMMANDS, "models", "prompt", "prompt ls", "cache"])
def test_every_command_has_help_for_80_columns(judge: Judge, command: str) -> None:
    done = judge(*command.split(), "--help", COLUMNS="80")
    assert done.code == 0
    assert max(map(len, done.out.splitlines())) <= 80
    assert "..." not in re.sub(r"\b(ARGS|ANSWERS)[\]}]*\.\.\.", "", done.out)
    assert judge(*command.split(), "-h", COLUMNS="80").out == done.out


def test_help_of_pair_shows_an_example_groups_and_exit_codes(judge: Judge) -> None:
    text = judge("pair", "--help", COLUMNS="80").out
    assert "\n  Example: judge pair baseline.jsonl candidate.jsonl --model judgelm-7b\n" in text
    headings = [line for line in text.splitlines() if line.endswith(":") and not line.startswith(" ")]
    assert headings == [
        f"{name}:"
        for name in ("Arguments", "Judge", "Trust", "Gate", "Input", "Field names", "Run", "Output")
    ] + [*("Engine:", "Endpoint:", "Other options:")]
    assert "[env var: JUDGE_MODEL]" in text
    for code in ("0 done", "2 usage", "5 nothing was judged", "130 interrupted"):
        assert code in " ".join(text.split())


def test_commands_are_listed_with_what_they_do(judge: Judge) -> None:
    text = judge("--help").out
    assert "  pair       Judge which of two models answers better.\n" in text
    assert "  agree      Show how far a judge agrees with people.\n" in text
    assert "  report     Show the report of a run file again.\n" in text


def test_the_version(judge: Judge) -> None:
    assert judge("--version").out == f"judge {judgecli.__version__}\n"


@pytest.mark.parametrize("arguments", [(), ("models",), ("prompt",), ("cache",)])
def test_no_command_shows_help(judge: Judge, arguments: tuple[str, ...]) -> None:
    done = judge(*arguments)
    assert "Usage: " in done.out + done.err
    assert done.code == 2


def test_an_unknown_command(judge: Judge) -> None:
    done = judge("pears")
    assert (done.code, done.out) == (2, "")
    assert "No such command 'pears'" in done.err


def test_exit_codes_by_class() -> None:
    classes = (UsageError, DataError, ModelError, NothingJudgedError, OutputError)
    assert [kind.exit_code for kind in classes] == [2, 3, 4, 5, 6]
    assert all(issubclass(kind, JudgeError) for kind in classes)
