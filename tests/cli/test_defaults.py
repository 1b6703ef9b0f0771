"""Defaults from judge.toml and pyproject.toml: found upwards, beaten by the environment and by flags."""

from pathlib import Path

import pytest

from tests.conftest import Judge
from tests.judging import last_rows, read_rows, script, two_files

RUN = Path("a-vs-b.judge.jsonl")
PAIR = ("pair", "a.jsonl", "b.jsonl")


@pytest.fixture(autouse=True)
def inputs(folder: Path) -> None:
    """Three judges, told apart by their scores."""
    two_files(folder, ["x"], ["y"])
    for name, reply in (("file", "9 1"), ("environment", "9 2"), ("flag", "9 3")):
        script(folder, reply, name=f"{name}.jsonl")


def defaults(folder: Path, text: str, name: str = "judge.toml") -> None:
    (folder / name).write_text(text, encoding="utf-8")


def test_flags_win_over_the_environment_which_wins_over_the_file(judge: Judge, folder: Path) -> None:
    defaults(folder, 'model = "scripted:file.jsonl"\nprompt = "judgelm"\norders = "ab"\n')
    judge(*PAIR)
    judge(*PAIR, "-o", "environment.run.jsonl", JUDGE_MODEL="scripted:environment.jsonl")
    judge(
        *PAIR, "-o", "flag.run.jsonl", "-m", "scripted:flag.jsonl", JUDGE_MODEL="scripted:environment.jsonl"
    )
    scores = [
        last_rows(path)["q1", "AB"]["scores"]["B"]
        for path in (RUN, Path("environment.run.jsonl"), Path("flag.run.jsonl"))
    ]
    assert scores == [1, 2, 3]
    assert len(last_rows(RUN)) == 1
    assert len(last_rows(Path("flag.run.jsonl"))) == 1
    judge(*PAIR, "--orders", "both", "-o", "both.jsonl")
    assert len(last_rows(Path("both.jsonl"))) == 2


def test_every_kind_of_value(judge: Judge, folder: Path) -> None:
    defaults(
        folder,
        """
        [tool.judge]
        model = "scripted:file.jsonl"
        prompt = "judgelm"
        min-mass = 0.25
        seed = 7
        quiet = true
        format = "json"
        report = "r.md"
        """,
        "pyproject.toml",
    )
    done = judge(*PAIR)
    assert done.err == ""
    assert (done.report["header"]["min_mass"], done.report["header"]["seed"]) == (0.25, 7)
    assert (folder / "r.md").exists()
    defaults(folder, '\ufeffreport = ["x.md", "y.json"]\n')
    judge("report", RUN)
    assert (folder / "x.md").exists()
    assert (folder / "y.json").exists()


def test_they_hold_for_every_command_that_has_the_option(judge: Judge, folder: Path) -> None:
    defaults(folder, 'model = "scripted:file.jsonl"\nprompt = "chat"\nformat = "markdown"\n')
    assert judge("prompt", "show", "a.jsonl", "b.jsonl").out.startswith("<system>")
    judge(*PAIR, "--prompt", "judgelm")
    assert judge("report", RUN).out.startswith("###")


def test_a_format_of_reports_is_none_of_what_has_no_report(judge: Judge, folder: Path) -> None:
    defaults(folder, 'format = "markdown"\n')
    assert judge("inspect", "a.jsonl").out.startswith("a.jsonl\nformat ")
    assert judge("power").out.startswith("429 pairs show ")
    assert judge("power", "--format", "markdown").code == 2
    defaults(folder, 'format = "pdf"\n')
    assert judge("power").code == 2
    defaults(folder, 'format = "json"\n')
    assert judge("power").report["n_needed"] == 429
    assert judge("inspect", "a.jsonl").report["files"]


def test_they_accept_no_download_and_choose_no_list(judge: Judge, folder: Path) -> None:
    defaults(folder, 'format = "markdown"\n')
    assert judge("models", "ls").code == 0
    defaults(folder, "yes = true\n")
    assert "'yes' is no option of judge" in judge("models", "ls").sentence


def test_the_nearest_folder_decides(judge: Judge, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    defaults(folder, 'model = "scripted:../file.jsonl"\nprompt = "judgelm"\n')
    inner = folder / "inner"
    inner.mkdir()
    defaults(inner, "[project]\nname = 'x'\n[tool.other]\nmodel = 1\n", "pyproject.toml")
    monkeypatch.chdir(inner)
    judge("pair", "../a.jsonl", "../b.jsonl")
    assert last_rows(RUN)["q1", "AB"]["scores"]["B"] == 1
    defaults(inner, 'model = "scripted:../flag.jsonl"\nprompt = "judgelm"\n')
    judge("pair", "../a.jsonl", "../b.jsonl", "--fresh")
    assert last_rows(RUN)["q1", "AB"]["scores"]["B"] == 3
    assert read_rows(RUN, "header")[0]["model"]["name"] == "scripted:../flag.jsonl"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("modle = 'x'\n", "'modle' is no option of judge; use an option's name without its dashes"),
        ("min_mass = 0.1\n", "'min_mass' is no option of judge"),
        ("model = 2024-01-01\n", "model must be a text, a number, true or false"),
        ("[model]\nname = 'x'\n", "model must be a text, a number, true or false"),
        ("report = [1]\n", "report must be a text, a number, true or false"),
        ("model = \n", "cannot read the defaults (Invalid value"),
        ("\udcff", "cannot read the defaults"),
    ],
)
def test_a_defaults_file_that_is_wrong_is_named(judge: Judge, folder: Path, text: str, sentence: str) -> None:
    (folder / "judge.toml").write_bytes(text.encode("utf-8", "surrogateescape"))
    done = judge(*PAIR)
    assert (done.code, done.out) == (2, "")
    assert done.sentence.startswith(f"{folder / 'judge.toml'}: ")
    assert sentence in done.sentence


@pytest.mark.parametrize("table", ["tool = 1\n", "[tool]\nother = 1\n"])
def test_a_project_without_defaults(judge: Judge, folder: Path, table: str) -> None:
    defaults(folder, table, "pyproject.toml")
    assert judge(*PAIR, "--model", "scripted:file.jsonl", "--prompt", "judgelm").code == 0


def test_a_project_whose_defaults_are_no_table(judge: Judge, folder: Path) -> None:
    defaults(folder, "[tool]\njudge = 'x'\n", "pyproject.toml")
    assert "tool.judge must be a table" in judge(*PAIR).sentence


def test_a_wrong_value_is_a_usage_error(judge: Judge, folder: Path) -> None:
    defaults(folder, "limit = 'many'\n")
    done = judge(*PAIR)
    assert done.code == 2
    assert "--limit" in done.err


def test_a_folder_that_is_gone(judge: Judge, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def gone() -> Path:
        raise FileNotFoundError(2, "No such file or directory")

    monkeypatch.setattr("judgecli.cli.Path.cwd", gone)
    done = judge(*PAIR)
    assert (done.code, done.sentence) == (2, "the current folder is gone; change to one that is there")
