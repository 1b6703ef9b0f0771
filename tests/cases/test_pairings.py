"""How neighbouring projects put the wrong answers together. Each test is named after a public report."""

from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Judge
from tests.judging import answers, prefers, read_rows, script, two_files, write_jsonl

RUN = Path("a-vs-b.judge.jsonl")


def winners(path: Path | str) -> dict[str, Any]:
    """Return each pair's winner in both orders."""
    found: dict[str, Any] = {}
    for row in read_rows(Path(path), "judgment"):
        found.setdefault(row["item_id"], set()).add(row["winner"])
    return found


def test_alpaca_eval_453_nothing_shared_stops_before_the_judge(judge: Judge, folder: Path) -> None:
    write_jsonl(folder / "a.jsonl", [{"id": "q1", "question": "?", "answer": "x"}])
    write_jsonl(folder / "b.jsonl", [{"id": "q9", "question": "?", "answer": "y"}])
    done = judge("pair", "a.jsonl", "b.jsonl", "--model", "scripted:not-there.jsonl")
    assert (done.code, done.out) == (3, "")
    assert "0 of 1 id shared; only in baseline: q1; only in candidate: q9" in done.sentence
    assert not RUN.exists()


def test_alpaca_eval_453_a_shorter_file_is_not_zipped(judge: Judge, folder: Path) -> None:
    two_files(folder, ["x", "x", "x"], ["y", "y"])
    model = script(folder, "7 7")
    done = judge("pair", "a.jsonl", "b.jsonl", *model)
    assert (done.code, done.out) == (3, "")
    assert "only in baseline: q3" in done.sentence
    assert "--allow-missing" in done.sentence
    done = judge("pair", "a.jsonl", "b.jsonl", *model, "--allow-missing")
    assert done.code == 0
    assert "2 comparisons (4 judgments)" in done.out
    assert "only in A    1 id: q3" in done.out
    assert "left out: 1 only in the baseline, 0 only in the candidate" in done.err


def test_deepeval_2473_the_winner_is_whose_text_won(judge: Judge, folder: Path) -> None:
    a, b = answers("GOOD", "poor", "poor"), answers("poor", "GOOD", "GOOD")
    write_jsonl(folder / "a.jsonl", a)
    write_jsonl(folder / "b.jsonl", [b[2], b[0], b[1]])
    model = script(folder, *prefers("GOOD"))
    forward = judge("pair", "a.jsonl", "b.jsonl", *model, "--format", "json").report
    assert winners(RUN) == {"q1": {"A"}, "q2": {"B"}, "q3": {"B"}}
    backward = judge("pair", "b.jsonl", "a.jsonl", *model, "--format", "json").report
    assert winners("b-vs-a.judge.jsonl") == {"q1": {"B"}, "q2": {"A"}, "q3": {"A"}}
    mirrored(forward, backward)


def mirrored(forward: dict[str, Any], backward: dict[str, Any]) -> None:
    """Check that exchanging the files mirrors every number of a report."""
    assert backward["baseline"] == forward["candidate"]
    assert backward["candidate"] == forward["baseline"]
    counts = forward["counts"]
    assert backward["counts"] == {**counts, "win": counts["loss"], "loss": counts["win"]}
    there, back = forward["estimates"], backward["estimates"]
    for name in ("win_rate", "sign_test", "sign_test_exact"):
        flipped = [
            None if there[name][key] is None else 1 - there[name][key] for key in ("value", "high", "low")
        ]
        assert [back[name][key] for key in ("value", "low", "high")] == near(flipped)
        assert back[name]["p_value"] == there[name]["p_value"]
    for name in ("consistency", "prefers_first", "prefers_second", "lean", "hard_flips"):
        same = ("value", "low", "high", "n", "p_value")
        assert [back[name][key] for key in same] == near([there[name][key] for key in same])


def near(values: list[Any]) -> list[Any]:
    return [value if value is None else pytest.approx(value) for value in values]


def test_arena_hard_auto_14_the_swapped_game_is_read_for_the_right_model(judge: Judge, folder: Path) -> None:
    two_files(folder, ["GOOD"] * 8, ["poor"] * 8)
    model = script(folder, *prefers("GOOD"))
    assert "baseline a better" in judge("pair", "a.jsonl", "b.jsonl", *model).out
    assert "candidate a better" in judge("pair", "b.jsonl", "a.jsonl", *model).out
    assert winners(RUN) == {f"q{n}": {"A"} for n in range(1, 9)}
    assert winners("b-vs-a.judge.jsonl") == {f"q{n}": {"B"} for n in range(1, 9)}
    header = read_rows(Path("b-vs-a.judge.jsonl"), "header")[0]
    assert (header["input"]["baseline"], header["input"]["model_b"]) == ("b.jsonl", "a")
    pair = read_rows(Path("b-vs-a.judge.jsonl"), "item")[0]
    assert pair["responses"][0]["source"] == {"file": "b.jsonl", "line": 1}


def test_judge_arena_60_both_orders_of_a_row_are_one_comparison(judge: Judge, folder: Path) -> None:
    two_files(folder, ["GOOD"] * 3, ["poor"] * 3)
    done = judge("pair", "a.jsonl", "b.jsonl", *script(folder, *prefers("GOOD")))
    assert "3 comparisons (6 judgments)" in done.out
    report = judge("report", RUN, "--format", "json").report
    assert {report["estimates"][name]["n"] for name in ("win_rate", "sign_test", "consistency")} == {3}


def test_datalad_3523_a_line_separator_within_a_text_ends_no_line(judge: Judge, folder: Path) -> None:
    text = "a\u2028b\u0085c"
    for name, answer in (("a", text), ("b", "other")):
        row = f'{{"id":"q1","question":"?","answer":"{answer}"}}\n'
        (folder / f"{name}.jsonl").write_text(row, encoding="utf-8")
    assert judge("pair", "a.jsonl", "b.jsonl", *script(folder, "7 7")).code == 0
    (pair,) = read_rows(RUN, "item")
    assert pair["responses"][0]["output"] == text
    assert RUN.read_bytes().isascii()


def sample(doc: int, name: str, text: str, filtered: str) -> dict[str, Any]:
    """Return a row of lm-eval-harness's samples."""
    return {
        "doc_id": doc,
        "doc": {"question": f"{doc}+2?"},
        "target": str(doc + 2),
        "filter": name,
        "arguments": {"gen_args_0": {"arg_0": f"Q: {doc}+2?\nA:", "arg_1": {"until": ["Q:"]}}},
        "resps": [[text]],
        "filtered_resps": [filtered],
    }


def test_lm_eval_2025_a_document_of_two_filters_is_one_item(judge: Judge, folder: Path) -> None:
    for name, text in (("a", "GOOD"), ("b", "poor")):
        strict = [sample(doc, "strict-match", f"{text} {doc}", "[invalid]") for doc in range(3)]
        loose = [sample(doc, "flexible-extract", f"{text} {doc}", str(doc)) for doc in range(3)]
        write_jsonl(folder / f"{name}.jsonl", [*strict, *loose])
    done = judge("pair", "a.jsonl", "b.jsonl", *script(folder, *prefers("GOOD")))
    assert done.code == 0, done.err
    assert "lm-eval" in done.err
    assert "3 comparisons (6 judgments)" in done.out
    assert "rows of 2 filters; those of strict-match are read, not those of flexible-extract" in " ".join(
        done.out.split()
    )
    assert [item["responses"][0]["output"] for item in read_rows(RUN, "item")] == [
        f"GOOD {doc}" for doc in range(3)
    ]
