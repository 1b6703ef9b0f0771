"""`judge pair`: data on stdout, everything else on stderr."""

import gzip
from pathlib import Path
from typing import Any

import pytest

from judgecli.backends.scripted import WordTokenizer
from tests.conftest import Judge
from tests.judging import last_rows, script, two_files, write_jsonl

RUN = Path("a-vs-b.judge.jsonl")
PAIR = ("pair", "a.jsonl", "b.jsonl")


def test_the_report_is_all_there_is_on_stdout(judge: Judge, model: tuple[str, ...]) -> None:
    done = judge(*PAIR, *model)
    assert done.code == 0
    assert done.out.startswith("no difference shown: candidate b win rate 50.0%")
    assert "4 comparisons (8 judgments)" in done.out
    assert done.err.splitlines() == [
        "read a.jsonl as plain (jsonl), b.jsonl as plain (jsonl)",
        "4 pairs by id, 0 decided without the judge",
        "judge scripted:judge.jsonl, prompt judgelm, both orders, context 256 tokens",
        "run file a-vs-b.judge.jsonl",
    ]


def test_json_is_one_object(judge: Judge, model: tuple[str, ...]) -> None:
    done = judge(*PAIR, *model, "--format", "json")
    counts = done.report["counts"]
    assert (counts["win"], counts["tie"], counts["loss"], counts["failed"]) == (1, 1, 1, 1)
    assert done.report["header"]["model"]["name"] == "scripted:judge.jsonl"


def test_markdown_is_for_pull_requests(judge: Judge, model: tuple[str, ...]) -> None:
    assert judge(*PAIR, *model, "--format", "markdown").out.startswith("### no difference shown")


def test_quiet_says_nothing_but_errors(judge: Judge, model: tuple[str, ...]) -> None:
    assert judge(*PAIR, *model, "-q").err == ""
    failed = judge(*PAIR, *model, "-q", "--max-failures", 0.1)
    assert failed.code == 5
    assert len(failed.err.splitlines()) == 1


@pytest.mark.parametrize(("share", "code"), [(0, 5), (0.24, 5), (0.25, 0), (1, 0), (None, 0)])
def test_max_failures_is_a_share_of_the_pairs(
    judge: Judge, model: tuple[str, ...], share: float | None, code: int
) -> None:
    done = judge(*PAIR, *model, *(() if share is None else ("--max-failures", share)))
    assert done.code == code
    if code:
        assert done.sentence.startswith("1 of 4 pairs failed, 25.0% and more than --max-failures")


def test_sample_is_repeatable(judge: Judge, model: tuple[str, ...]) -> None:
    drawn = [judge(*PAIR, *model, *("--limit", 2, "--sample", "--seed", 3, "--format", "json")) for _ in "ab"]
    assert drawn[0].report["counts"] == drawn[1].report["counts"]
    assert "2 of 4 pairs (drawn with seed 3)" in drawn[0].err


def test_stdin_and_gzip(judge: Judge, model: tuple[str, ...], folder: Path) -> None:
    whole = judge(*PAIR, *model, "--format", "json").report
    with gzip.open(folder / "b.jsonl.gz", "wb") as file:
        file.write((folder / "b.jsonl").read_bytes())
    stdin = (folder / "a.jsonl").read_text(encoding="utf-8")
    done = judge("pair", "-", "b.jsonl.gz", *model, "--format", "json", stdin=stdin)
    assert done.report["counts"] == whole["counts"]
    assert done.err.startswith("read stdin as plain (jsonl), b.jsonl.gz as plain (jsonl)")
    assert (folder / "stdin-vs-b.judge.jsonl").exists()


def test_one_file_of_pairs(judge: Judge, model: tuple[str, ...], folder: Path) -> None:
    rows = [{"id": "q1", "question": "?", "answer_a": "GOOD", "answer_b": "poor"}]
    write_jsonl(folder / "pairs.jsonl", rows)
    done = judge("pair", "pairs.jsonl", *model)
    assert "1 pair, 0 decided without the judge" in done.err
    assert last_rows(folder / "pairs.judge.jsonl")["q1", "BA"]["winner"] == "A"


def test_fields_by_name(judge: Judge, model: tuple[str, ...], folder: Path) -> None:
    for name, text in (("a", "GOOD"), ("b", "poor")):
        row = {"key": "q1", "task": "?", "result": {"text": text}, "who": f"model {name}"}
        write_jsonl(folder / f"{name}.jsonl", [row])
    fields = ("--id-field", "key", "--instruction-field", "task", "--response-field", "result.text")
    done = judge(*PAIR, *model, *fields, "--model-field", "who", "--format", "json")
    assert done.report["baseline"]["model"] == "model a"
    assert done.report["counts"]["loss"] == 1


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--orders", "ba"), "--orders must be one of both, ab, not 'ba'"),
        (("--overflow", "cut"), "--overflow must be one of fail, truncate, not 'cut'"),
        (("--pair-by", "name"), "--pair-by must be one of auto, id, instruction, line, not 'name'"),
        (("--min-mass", 2), "--min-mass is a probability from 0 to 1, not 2"),
        (("--n-ctx", 0), "--n-ctx must be at least 1, not 0"),
        (("--sample",), "--sample needs --limit N, how many to draw"),
    ],
)
def test_options_that_mean_nothing(
    judge: Judge, model: tuple[str, ...], options: tuple[Any, ...], sentence: str
) -> None:
    done = judge(*PAIR, *model, *options)
    assert (done.code, done.out, done.sentence) == (2, "", sentence)


@pytest.mark.parametrize(
    "options",
    [
        ("--limit", 0),
        ("--max-failures", 1.5),
        ("--max-failures", "nan"),
        ("--format", "pdf"),
        ("--nonsense",),
        ("c.jsonl",),
        ("--seed", "x"),
    ],
)
def test_options_that_the_parser_refuses(
    judge: Judge, model: tuple[str, ...], options: tuple[Any, ...]
) -> None:
    done = judge(*PAIR, *model, *options)
    assert (done.code, done.out) == (2, "")
    assert "Traceback" not in done.err
    assert "Error: " in done.err


def test_reasons_that_were_cut_off_are_flagged(judge: Judge, folder: Path) -> None:
    two_files(folder, ["x"], ["y"])
    model = script(folder, {"reply": "9 3\nSince the first", "finish_reason": "length"})
    assert "reasons cut" not in judge(*PAIR, *model).out
    done = judge(*PAIR, *model, "--reasons", "--fresh")
    assert "flagged      1 reasons cut" in done.out
    assert last_rows(RUN)["q1", "AB"]["winner"] == "A"


def test_overflow_truncate_is_flagged_in_the_report(
    judge: Judge, model: tuple[str, ...], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(WordTokenizer, "n_ctx_train", 512)
    two_files(folder, ["x " * 600, "x"], ["y " * 600, "y"])
    assert "1 of 2 too long" in judge(*PAIR, *model).out
    done = judge(*PAIR, *model, "--overflow", "truncate")
    assert done.code == 0
    assert "answers cut to" in " ".join(done.out.split())
    assert "context 512 of 512 tokens" in done.err


def test_references_reach_the_judge_and_mixed_ones_are_refused(
    judge: Judge, model: tuple[str, ...], folder: Path
) -> None:
    write_jsonl(folder / "r.jsonl", [{"id": f"q{n}", "reference": "the TRUTH"} for n in (1, 2)])
    mixed = judge(*PAIR, *model, "--reference", "r.jsonl")
    assert mixed.code == 3
    assert "--allow-missing-reference" in mixed.sentence
    asked = script(folder, {"matches": r"\[Reference Answer\]\nthe TRUTH", "reply": "9 3"}, "no")
    done = judge(*PAIR, *asked, "--reference", "r.jsonl", "--allow-missing-reference", "--format", "json")
    assert done.report["counts"]["failures"] == {"unreadable": 2}
    assert [part["name"] for part in done.report["by_reference"]] == ["with reference", "without reference"]
    assert judge(*PAIR, *model, "--reference", "r.jsonl", "--limit", 2, "--fresh").code == 0


def test_references_that_the_prompt_has_no_place_for_are_named(judge: Judge, folder: Path) -> None:
    two_files(folder, ["x"], ["y"])
    write_jsonl(folder / "r.jsonl", [{"id": "q1", "reference": "z"}])
    (folder / "mine.toml").write_text(
        'name = "mine"\n[pair.grammar]\nkind = "labels"\nlabels = { A = "first", B = "second" }\n'
        '[[pair.block]]\ntext = "{question} {response_1} {response_2}"\n',
        encoding="utf-8",
    )
    model = script(folder, "A")[:2]
    done = judge(*PAIR, *model, "--prompt", "mine.toml", "--reference", "r.jsonl")
    sentence = "the prompt mine has no place for reference answers, so the judge does not see them"
    assert f"note: {sentence}" in done.err
    assert sentence in " ".join(done.out.split())


def test_a_rule_is_no_verdict_of_a_judge_that_failed_throughout(judge: Judge, folder: Path) -> None:
    two_files(folder, ["same", "x"], ["same", "y"])
    done = judge(*PAIR, *script(folder, "I cannot say."))
    assert done.code == 5
    assert "nothing was judged: 1 of 2 pairs failed" in done.sentence
    two_files(folder, ["x"], ["y"])
    assert "1 of 1 pair failed" in judge(*PAIR, *script(folder, "I cannot say."), "--fresh").sentence


def test_a_preference_row_without_its_second_answer_is_named(judge: Judge, folder: Path) -> None:
    rows = [{"prompt": "p", "chosen": "a", "rejected": "b"}, {"prompt": "q", "chosen": "c"}]
    write_jsonl(folder / "pref.jsonl", rows)
    done = judge("pair", "pref.jsonl", *script(folder, "8 6"))
    assert done.code == 3
    assert done.sentence.startswith("pref.jsonl:2: no ")


def test_a_report_never_overwrites_the_run_file(judge: Judge, folder: Path) -> None:
    two_files(folder, ["x"], ["y"])
    done = judge(*PAIR, *script(folder, "8 6"), "-o", "run.json", "-r", "run.json")
    assert done.code == 2
    assert not (folder / "run.json").exists()
