"""`judge bench`: figures that hang together, nothing written, one sentence where nothing can be measured."""

import signal
import subprocess
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from tests.conftest import JUDGE, Judge
from tests.decoding import needs_llama_cpp
from tests.judging import JUDGELM, Done, script, two_files
from tests.places import demo_weights
from tests.random_models import write_llama

pytestmark = needs_llama_cpp

ARMS = ["prefill", "scores", "loop", "loop-tuned", "reasons", "loop-reasons"]
SMALL = ("--threads", 1, "--reason-tokens", 3)


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_llama(tmp_path_factory.mktemp("weights") / "random.gguf")


@pytest.fixture
def bench(judge: Judge, weights: Path) -> Any:
    """Run `judge bench` with random weights."""

    def run(*arguments: object, model: object = weights, prompt: object = "judgelm") -> Done:
        return judge("bench", *arguments, *SMALL, "--model", model, "--prompt", prompt, COLUMNS="80")

    return run


def names(found: dict[str, Any]) -> list[str]:
    return [arm["arm"] for arm in found["arms"]]


def test_json_holds_every_pass_and_figures_that_follow_from_them(bench: Any, folder: Path) -> None:
    two_files(folder, ["one", "two", "three"], ["four", "five", "six"])
    before = sorted(folder.iterdir())
    done = bench("a.jsonl", "b.jsonl", "--repeat", 3, "--format", "json", "--limit", 2)
    assert done.code == 0
    found = done.report
    assert names(found) == ARMS
    seconds = {arm["arm"]: arm["elapsed_s"] for arm in found["arms"]}
    for arm in found["arms"]:
        n_pairs = 1 if "reasons" in arm["arm"] else 2
        assert arm["n_pairs"] == n_pairs
        assert len(arm["elapsed_s"]) == len(arm["n_evaluated_tokens"]) == 3
        assert arm["seconds"]["median"] == median(arm["elapsed_s"])
        assert arm["pairs_per_minute"]["high"] == 60 * n_pairs / min(arm["elapsed_s"])
        assert arm["tokens_per_s"]["low"] == arm["n_evaluated_tokens"][0] / max(arm["elapsed_s"])
    assert [(ratio["over"], ratio["under"]) for ratio in found["ratios"]] == [
        ("scores", "prefill"),
        ("loop", "scores"),
        ("loop-tuned", "scores"),
        ("loop-reasons", "reasons"),
    ]
    for ratio in found["ratios"]:
        pairs = zip(seconds[ratio["over"]], seconds[ratio["under"]], strict=True)
        assert ratio["values"] == [over / under for over, under in pairs]
        assert ratio["median"] == median(ratio["values"])
    written = {arm["arm"]: arm["n_written_tokens"][0] for arm in found["arms"]}
    assert (written["prefill"], written["loop"], written["loop-reasons"]) == (0, 4 * 4, 2 * 3)
    assert found["backend"]["n_threads"] == 1
    assert found["prompt"]["family"] == "judgelm"
    assert "only ratios within one run can be compared" in found["notes"][-1]
    assert sorted(folder.iterdir()) == before


def test_reasons_are_measured_on_all_pairs_if_that_is_asked(bench: Any, folder: Path) -> None:
    two_files(folder, ["one", "two"], ["three", "four"])
    done = bench("a.jsonl", "b.jsonl", "--repeat", 1, "--reasons", "--format", "json")
    assert [arm["n_pairs"] for arm in done.report["arms"]] == [2] * 6


def test_the_table_names_every_arm_and_every_ratio(bench: Any) -> None:
    done = bench("--repeat", 1, "--limit", 1)
    lines = done.out.splitlines()
    assert done.code == 0
    assert max(map(len, lines)) <= 80
    for arm in ARMS:
        assert len([line for line in lines if line.split()[:1] == [arm] and line.split()[1:2] == ["1"]]) == 1
    assert [line.split("  ")[0] for line in lines if " / " in line] == [
        "scores / prefill",
        "loop / scores",
        "loop-tuned / scores",
        "loop-reasons / reasons",
    ]
    assert "the pairs are made up and short" in done.out
    assert " ".join(lines[-2:]).endswith("only ratios within one run can be compared.")


def test_progress_is_a_line_a_pass_on_stderr(bench: Any) -> None:
    lines = bench("--repeat", 2, "--limit", 1, "--no-reasons").err.splitlines()
    assert "on 1 pair in both orders" in lines[0]
    forwards = ARMS[:4]
    expected = [
        *(("warm-up", arm) for arm in forwards),
        *(("1 of 2", arm) for arm in reversed(forwards)),
        *(("2 of 2", arm) for arm in forwards),
    ]
    assert [(line[:9].strip(), line[10:28].strip()) for line in lines[1:]] == expected
    assert bench("--repeat", 1, "--limit", 1, "--no-reasons", "--quiet").err == ""


def test_pairs_that_need_no_judge_are_left_out(bench: Any, folder: Path) -> None:
    two_files(folder, ["one", "same"], ["two", "same"])
    found = bench("a.jsonl", "b.jsonl", "--repeat", 1, "--format", "json", "--no-reasons").report
    assert [arm["n_pairs"] for arm in found["arms"]] == [1] * 4
    assert "1 left out: decided without the judge" in found["notes"]
    two_files(folder, ["same"], ["same"])
    done = bench("a.jsonl", "b.jsonl")
    assert done.code == 3
    assert done.sentence.startswith("no pair is left to measure with")


def test_tune_tries_options_and_says_which_change_bits(bench: Any) -> None:
    done = bench("--tune", "--repeat", 2, "--limit", 1)
    assert done.code == 0
    assert max(map(len, done.out.splitlines())) <= 80
    tried = [
        line for line in done.out.splitlines() if line.startswith(("--n-ubatch ", "--threads ", "flash"))
    ]
    assert [line[:20].strip() for line in tried if "as it is" in line] == [
        "--threads 1",
        "--n-ubatch 512",
        "flash attention on",
    ]
    assert "--n-ubatch and --no-flash-attn change a run's last bits" in done.out
    assert "--threads changes none" in " ".join(done.out.split())


def test_tune_gives_flags_to_paste(bench: Any) -> None:
    found = bench("--tune", "--repeat", 2, "--limit", 1, "--n-ubatch", 64, "--format", "json").report
    best = {sweep["option"]: sweep["best"] for sweep in found["sweeps"]}
    assert [sweep["changes_bits"] for sweep in found["sweeps"]][-2:] == [True, True]
    assert [trial["value"] for trial in found["sweeps"][-2]["trials"]] == [64, 128, 256, 512, 1024]
    for sweep in found["sweeps"]:
        medians = {trial["value"]: trial["seconds"]["median"] for trial in sweep["trials"]}
        assert medians[sweep["best"]] <= medians[sweep["present"]]
    assert f"--n-ubatch {best['--n-ubatch']}" in found["flags"]
    assert ("--no-flash-attn" in found["flags"]) is not best["--no-flash-attn"]


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (("--repeat", 0), 2, "--repeat must be a whole number from 1 to 100, not 0"),
        (("--tune", "--repeat", 1), 2, "--tune needs --repeat 2 or more"),
        (("nowhere.jsonl",), 3, "nowhere.jsonl: no such file"),
        (("--n-ctx", 64), 3, "no pair is left to measure with"),
    ],
)
def test_what_cannot_be_measured_is_one_sentence(
    bench: Any, arguments: tuple[Any, ...], code: int, sentence: str
) -> None:
    done = bench(*arguments)
    assert (done.code, done.out) == (code, "")
    assert done.sentence.startswith(sentence)


def test_only_a_model_in_llama_cpp_can_be_measured(judge: Judge, folder: Path) -> None:
    done = judge("bench", *script(folder, "9 3"))
    assert done.code == 2
    assert "does not run in it; name a local model with --model" in done.sentence
    done = judge("bench", "--model", "missing.gguf", *JUDGELM)
    assert (done.code, done.out) == (4, "")
    assert done.sentence.startswith("missing.gguf: no such file")
    done = judge("bench")
    assert done.code == 4
    assert done.sentence.startswith("no judge model: fetch one with `judge pull judgelm-7b`")


def test_an_interrupt_is_one_line(weights: Path, folder: Path) -> None:
    process = subprocess.Popen(
        [
            *JUDGE,
            "bench",
            "--model",
            str(weights),
            "--prompt",
            "judgelm",
            "--threads",
            "1",
            "--repeat",
            "100",
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    lines = []
    while not lines or not lines[-1].startswith("1 of 100"):
        lines.append(process.stderr.readline())
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (130, "")
    assert err.splitlines()[-1] == "judge: interrupted; nothing was written, and the same command starts anew"
    assert "Traceback" not in err
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("form", ["html", "junit"])
def test_a_format_that_there_is_not_is_refused(bench: Any, folder: Path, form: str) -> None:
    done = bench("--format", form)
    assert (done.code, done.out) == (2, "")
    assert form in done.err.splitlines()[-1]
    (folder / "judge.toml").write_text(f'format = "{form}"\n', encoding="utf-8")
    assert bench("--repeat", 1, "--limit", 1, "--no-reasons").out.startswith("judge ")


def test_help_fits_80_columns_and_shows_an_example(judge: Judge) -> None:
    text = judge("bench", "--help", COLUMNS="80").out
    assert max(map(len, text.splitlines())) <= 80
    assert "\n  Example: judge bench --model demo --limit 4\n" in text


def test_judge_toml_gives_defaults(judge: Judge, weights: Path, folder: Path) -> None:
    text = (
        f'model = "{weights.as_posix()}"\nprompt = "judgelm"\nthreads = 1\nformat = "markdown"\nlimit = 1\n'
    )
    (folder / "judge.toml").write_text(text, encoding="utf-8")
    done = judge("bench", "--repeat", 1, "--no-reasons")
    assert done.code == 0
    assert done.out.startswith("```\njudge ")
    assert "1 pair in both orders, 1 repeat" in done.out


@pytest.mark.demo
def test_it_works_with_the_demo_model(judge: Judge, folder: Path) -> None:
    demo_weights()
    two_files(folder, ["one"], ["two"])
    done = judge("bench", "a.jsonl", "b.jsonl", "--model", "demo", "--repeat", 1, "--no-reasons")
    assert done.code == 0
    assert "judge        demo:" in done.out
    assert "prompt       chat" in done.out
