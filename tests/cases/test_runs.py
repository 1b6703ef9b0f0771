"""Runs that neighbouring projects lost, hid or could not repeat. Each test is named after a public report."""

import signal
import subprocess
import time
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import judgecli
from judgecli.backends import scripted
from judgecli.backends.scripted import ScriptedBackend, WordTokenizer
from tests.conftest import JUDGE, Judge
from tests.gguf_files import gguf_bytes
from tests.judging import answers, last_rows, read_rows, script, strict_json, two_files, write_jsonl
from tests.registry.hub import caches, no_network
from tests.registry.layout import cached

__all__ = ["caches", "no_network"]
RUN = Path("a-vs-b.judge.jsonl")
ASCII_ONLY = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii", "PYTHONCOERCECLOCALE": "0"}


@pytest.fixture
def any_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    """Weights of any kind judge: an engine that answers `9 3` stands in for llama.cpp."""
    engine = SimpleNamespace(
        open_tokenizer=lambda _: nullcontext(WordTokenizer()),
        open_backend=lambda _path, **_options: ScriptedBackend(lambda _: "9 3\n"),
        describe=scripted.describe,
    )
    monkeypatch.setattr("judgecli.run.judge_choice.load_backend", lambda _: engine)


def test_lm_eval_2027_nothing_is_lost_where_only_ascii_can_be_shown(
    judge_process: Judge, folder: Path
) -> None:
    text = "naïve ˈa 東京 🎉"
    write_jsonl(
        folder / "a.jsonl", [{"id": "q1", "question": "Tōkyō?", "answer": text, "model": "Modèle 東"}]
    )
    write_jsonl(folder / "b.jsonl", [{"id": "q1", "question": "Tōkyō?", "answer": "x"}])
    model = script(folder, "9 3 naïve 🎉")
    done = judge_process("pair", "a.jsonl", "b.jsonl", *model, "-r", "r.md", **ASCII_ONLY)
    assert done.code == 5
    assert r"A baseline   Mod\xe8le \u6771, from a.jsonl" in done.out
    assert read_rows(RUN, "item")[0]["responses"][0]["output"] == text
    assert last_rows(RUN)["q1", "AB"]["text"] == "9 3 naïve 🎉"
    assert "Modèle 東" in (folder / "r.md").read_text(encoding="utf-8")


@pytest.mark.usefixtures("any_weights", "caches")
def test_arena_hard_auto_77_everything_that_decides_a_run_is_written_down(judge: Judge, folder: Path) -> None:
    two_files(folder, ["x"], ["y"])
    (folder / "m.gguf").write_bytes(gguf_bytes())
    pair = ("pair", "a.jsonl", "b.jsonl", "--model", "m.gguf", "--prompt", "judgelm")
    judge(*pair, "--seed", 7)
    (header,) = read_rows(RUN, "header")
    assert (header["model"]["name"], header["model"]["file"]) == ("m.gguf", "m.gguf")
    assert len(header["model"]["sha256"]) == len(header["prompt"]["hash"]) == 64
    assert (header["prompt"]["family"], header["prompt"]["template"]) == ("judgelm", None)
    assert (header["orders"], header["min_mass"], header["sampling"], header["seed"]) == (
        "both",
        0.5,
        "greedy",
        7,
    )
    assert header["judgecli"] == judgecli.__version__
    assert {"backend", "started_at", "reasons", "overflow", "n_items"} <= header.keys()
    unlike = judge(*pair, "--min-mass", 0.1)
    assert unlike.code == 3
    assert "another --min-mass (0.5, now 0.1)" in unlike.sentence
    (folder / "m.gguf").write_bytes(gguf_bytes() + b"\0")
    assert "another --model" in judge(*pair).sentence


@pytest.mark.usefixtures("any_weights", "caches")
@pytest.mark.parametrize(
    ("options", "environment"), [((), {"HF_HUB_OFFLINE": "1"}), (("--offline",), {}), ((), {})]
)
def test_huggingface_hub_4487_a_cached_model_needs_no_network(
    judge: Judge,
    folder: Path,
    no_network: list[object],
    options: tuple[str, ...],
    environment: dict[str, str],
) -> None:
    two_files(folder, ["x"], ["y"])
    cached("org/repo", "m.gguf", gguf_bytes())
    pair = ("pair", "a.jsonl", "b.jsonl", "--prompt", "judgelm", *options)
    assert judge(*pair, "--model", "hf:org/repo/m.gguf", **environment).code == 0
    missing = judge(*pair, "--model", "hf:org/repo/other.gguf", **environment)
    assert missing.code == 4
    assert "not in the cache; fetch it with: judge pull hf:org/repo/other.gguf" in missing.sentence
    assert no_network == []


def test_huggingface_hub_4915_paths_as_windows_has_them(judge: Judge, folder: Path) -> None:
    place = folder / "Users" / "Zoë X" / ("long " * 20)
    place.mkdir(parents=True)
    for name in ("con.jsonl", "a:b.jsonl"):
        write_jsonl(place / name, answers("x"))
    model = script(folder, "7 7")
    assert judge("pair", place / "con.jsonl", place / "a:b.jsonl", *model).code == 0
    assert (folder / "con-vs-a_b.judge.jsonl").exists()
    write_jsonl(folder / "con.jsonl", [{"id": "q1", "question": "?", "answer_a": "x", "answer_b": "y"}])
    assert judge("pair", "con.jsonl", *model).code == 0
    assert (folder / "_con.judge.jsonl").exists()
    assert r"C:\m\j.gguf: no such file" in judge("pair", "con.jsonl", "--model", r"C:\m\j.gguf").sentence


def test_alpaca_eval_340_a_failed_row_is_asked_again(judge: Judge, folder: Path) -> None:
    two_files(folder, ["x"] * 5, ["y"] * 5)
    broken = script(folder, {"id": "q2", "error": "out of memory"}, "7 7")
    first = judge("pair", "a.jsonl", "b.jsonl", *broken, "--format", "json").report
    assert (first["counts"]["verdicts"], first["counts"]["failures"]) == (4, {"engine": 1})
    n_rows = len(read_rows(RUN, "judgment"))
    done = judge("pair", "a.jsonl", "b.jsonl", *script(folder, "7 7"), "--format", "json")
    assert "going on in a-vs-b.judge.jsonl: 8 of 10 judgments there" in done.err
    assert done.report["counts"]["verdicts"] == 5
    again = read_rows(RUN, "judgment")[n_rows:]
    assert [(row["item_id"], row["order"]) for row in again] == [("q2", "AB"), ("q2", "BA")]


def wait_for_rows(path: Path, n_rows: int) -> None:
    for _ in range(600):
        if path.exists() and path.read_bytes().count(b'"row": "judgment"') >= n_rows:
            return
        time.sleep(0.02)
    raise AssertionError("no rows were written")


def test_llama_cpp_python_599_an_interrupted_run_keeps_its_rows_and_goes_on(
    judge: Judge, folder: Path
) -> None:
    two_files(folder, ["x"] * 5, ["y"] * 5)
    slow = script(folder, {"id": "q3", "reply": "9 3", "seconds": 30}, "9 3")
    process = subprocess.Popen(
        [*JUDGE, "pair", "a.jsonl", "b.jsonl", *slow],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    wait_for_rows(RUN, 4)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert (process.returncode, out) == (130, "")
    assert err.splitlines()[-1] == (
        "judge: interrupted; 4 of 10 judgments are in a-vs-b.judge.jsonl, "
        "and the same command goes on from there"
    )
    assert "Traceback" not in err
    partial = judge("report", RUN, "--format", "json").report
    assert (partial["partial"], partial["counts"]["open"], partial["counts"]["verdicts"]) == (True, 3, 2)
    with RUN.open("a", encoding="utf-8") as file:
        file.write('{"row": "judgment", "item_id": "q2", "ver')
    assert "the last line was cut off" in str(judge("report", RUN, "--format", "json").report["notes"])
    done = judge("pair", "a.jsonl", "b.jsonl", *script(folder, "9 3"), "--format", "json")
    assert done.report["counts"]["verdicts"] == 5
    assert len(last_rows(RUN)) == len(read_rows(RUN, "judgment")) == 10


@pytest.mark.parametrize(
    ("replies", "options", "sentence"),
    [
        (
            {"error": "logits are NaN"},
            (),
            "nothing was judged: 2 of 2 pairs failed (item 'q1': engine, logits are NaN)",
        ),
        ({"reply": "9 3"}, ("--n-ctx", 20), "nothing was judged: 2 of 2 pairs failed (item 'q1': too long, "),
        (
            {"reply": "no"},
            (),
            "nothing was judged: 2 of 2 pairs failed (item 'q1': unreadable, no two scores in 'no')",
        ),
    ],
)
def test_promptfoo_345_nothing_judged_is_no_success(
    judge: Judge, folder: Path, replies: dict[str, Any], options: tuple[Any, ...], sentence: str
) -> None:
    two_files(folder, ["x", "x"], ["y", "y"])
    done = judge("pair", "a.jsonl", "b.jsonl", *script(folder, replies), *options)
    assert done.code == 5
    assert done.out.startswith("no verdicts: 2 of 2")
    assert done.sentence.startswith(sentence)
    assert done.sentence.endswith("; the texts are in a-vs-b.judge.jsonl") == (
        "reply" in replies and not options
    )


@pytest.mark.parametrize("content", ["", "\n\n", "[]"])
def test_promptfoo_345_empty_files_are_no_success(judge: Judge, folder: Path, content: str) -> None:
    for name in ("a.jsonl", "b.jsonl"):
        (folder / name).write_text(content, encoding="utf-8")
    done = judge("pair", "a.jsonl", "b.jsonl", *script(folder, "9 3"))
    assert (done.code, done.out) == (3, "")
    assert done.sentence.startswith("a.jsonl: ")


@pytest.mark.parametrize(
    "environment", [{"NO_COLOR": "1"}, {"FORCE_COLOR": "0"}, {"TERM": "dumb"}, {"GITHUB_ACTIONS": "true"}]
)
def test_dstack_pr_4081_no_escape_code_reaches_a_file(
    judge_process: Judge, folder: Path, environment: dict[str, str]
) -> None:
    two_files(folder, ["x"], ["y"])
    model = script(folder, "9 3")
    for command in (
        ("pair", "a.jsonl", "b.jsonl", *model),
        ("pair", "--help"),
        ("pair", "a.jsonl", "missing.jsonl", *model),
    ):
        done = judge_process(*command, **environment)
        assert "\x1b" not in done.out + done.err
        assert done.out + done.err


def test_the_rows_of_a_run_are_json_for_any_reader(judge: Judge, folder: Path) -> None:
    two_files(folder, ["x"], ["y"])
    judge("pair", "a.jsonl", "b.jsonl", *script(folder, "no"))
    for line in RUN.read_text(encoding="utf-8").splitlines():
        assert isinstance(strict_json(line), dict)


def test_arena_hard_auto_77_runs_that_were_judged_otherwise_are_said_to_be(
    judge: Judge, folder: Path
) -> None:
    two_files(folder, ["x"], ["y"])
    model = script(folder, "9 3")
    for name, options in {"one": (), "same": (), "other": ("--min-mass", 0.3)}.items():
        judge("pair", "a.jsonl", "b.jsonl", *model, *options, "--out", f"{name}.jsonl")
    other = " ".join(judge("diff", "one.jsonl", "other.jsonl").out.split())
    same = " ".join(judge("diff", "one.jsonl", "same.jsonl").out.split())
    assert "min mass 0.5" in other
    assert "min mass 0.3" in other
    assert "but not the judge" in other
    assert "not the judge" not in same
