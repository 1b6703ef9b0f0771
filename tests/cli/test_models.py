import io
import json
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from judgecli.cli import app
from judgecli.cli.models import columns
from judgecli.registry import cards
from tests.gguf_files import gguf_bytes, write_gguf
from tests.registry.layout import JUDGELM, JUDGELM_Q4, cached

pytestmark = pytest.mark.usefixtures("caches")
MODEL = gguf_bytes()


def judge_models(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["models", *arguments])


def done(*arguments: str) -> Result:
    result = judge_models(*arguments)
    assert result.exit_code == 0, result.stderr
    return result


def refused(exit_code: int, *arguments: str) -> str:
    """Return the one line a command ends with on stderr."""
    result = judge_models(*arguments)
    assert result.exit_code == exit_code
    (line,) = result.stderr.splitlines()[-1:]
    assert line.startswith("judge: ")
    return line


def test_the_list_is_a_table() -> None:
    cached(JUDGELM, JUDGELM_Q4, MODEL)
    lines = done("ls").stdout.splitlines()
    assert lines[0].split() == ["NAME", "FAMILY", "DEFAULT", "SIZE", "LICENCE", "HERE"]
    rows = {line.split()[0]: line for line in lines[1:]}
    assert rows.keys() == cards().keys()
    assert rows["judgelm-7b"].split() == [
        *("judgelm-7b", "judgelm", "Q4_K_M", "~4.08", "GB", "LLaMA", "licence", "(non-commercial)", "Q4_K_M")
    ]
    assert "no GGUF known" in rows["judgelm-13b"]
    assert rows["judgelm-33b"].endswith(" -")


def test_the_list_as_json() -> None:
    entry = cached(JUDGELM, JUDGELM_Q4, MODEL)
    listed = {row["name"]: row for row in json.loads(done("ls", "--format", "json").stdout)}
    assert listed.keys() == cards().keys()
    judgelm = listed["judgelm-7b"]
    assert judgelm["present"] == [{"quant": "Q4_K_M", "paths": [str(entry)], "size_bytes": len(MODEL)}]
    assert (judgelm["family"], judgelm["n_ctx"], judgelm["licence_note"]) == (
        "judgelm",
        2048,
        "non-commercial",
    )
    (q6,) = [file for file in judgelm["files"] if file["quant"] == "Q6_K"]
    assert (q6["size_bytes"], len(q6["sha256"][0])) == (5_529_194_464, 64)


def test_a_card_is_shown_with_its_files() -> None:
    entry = cached(JUDGELM, JUDGELM_Q4, MODEL)
    text = done("show", "JudgeLM-7B").stdout
    assert "judgelm-7b: JudgeLM 7B v1.0" in text
    assert "licence: LLaMA licence (non-commercial)" in text
    assert "context: 2048 tokens" in text
    rows = {line.split()[0]: line for line in text.splitlines()}
    assert str(entry) in rows["Q4_K_M"]
    assert f"hf:{JUDGELM}/BAAI.JudgeLM-7B-v1.0.Q8_0.gguf@3a06715d" in rows["Q8_0"]


def test_a_card_without_files_says_what_to_do() -> None:
    text = done("show", "judgelm-13b").stdout
    assert "note: No GGUF file of JudgeLM 13B is known" in text
    assert "QUANT" not in text


def test_an_unknown_card_is_an_error() -> None:
    assert "did you mean judgelm-" in refused(4, "show", "judgelm")
    assert "./m.gguf is not the name of a model card" in refused(2, "show", "./m.gguf")


def test_verify_prints_what_it_found() -> None:
    entry = cached(JUDGELM, JUDGELM_Q4, MODEL)
    (line,) = done("verify", "judgelm-7b").stdout.splitlines()
    assert line.startswith("judgelm-7b:Q4_K_M  intact  ")
    assert line.endswith(str(entry))


def test_verify_of_a_damaged_model_prints_all_and_fails() -> None:
    entry = cached(JUDGELM, JUDGELM_Q4, MODEL)
    entry.resolve().write_bytes(MODEL[:-1])
    result = judge_models("verify", "judgelm-7b")
    assert result.exit_code == 4
    assert "judgelm-7b:Q4_K_M  damaged" in result.stdout
    assert "1 of 1 files damaged" in result.stderr
    assert "judge models rm judgelm-7b:Q4_K_M" in result.stderr


def test_verify_of_a_file_of_ones_own(tmp_path: Path) -> None:
    path = write_gguf(tmp_path / "m.gguf")
    assert "no hash to compare with" in done("verify", str(path)).stdout


def test_rm_needs_yes_where_there_is_no_terminal() -> None:
    entry = cached(JUDGELM, JUDGELM_Q4, MODEL)
    assert "repeat the command with --yes" in refused(2, "rm", "judgelm-7b")
    assert entry.exists()


def test_rm_with_yes_removes() -> None:
    entry = cached(JUDGELM, JUDGELM_Q4, MODEL)
    result = done("rm", "judgelm-7b:q4_k_m", "--yes")
    assert not entry.exists()
    assert str(entry) in result.stderr
    assert result.stderr.splitlines()[-1] == f"removed {len(MODEL)} B"
    assert result.stdout == ""


@pytest.mark.parametrize(("answer", "stays"), [("y\n", False), ("n\n", True), ("\n", True)])
def test_rm_asks_on_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], answer: str, stays: bool
) -> None:
    from judgecli.cli.models import remove_command

    entry = cached(JUDGELM, JUDGELM_Q4, MODEL)
    typed = io.StringIO(answer)
    monkeypatch.setattr(typed, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stdin", typed)
    remove_command("judgelm-7b")
    assert entry.exists() is stays
    assert f"Remove this ({len(MODEL)} B)?" in capsys.readouterr().err


def test_columns_are_aligned() -> None:
    assert columns([("A", "BB", "C"), ("aaaa", "b", "")]) == ["A     BB  C", "aaaa  b"]
    assert columns([]) == []
