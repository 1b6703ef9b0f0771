"""Every format that is read, from two files, or one that holds both answers, to a scripted judge's report."""

import gzip
import io
import json
import shutil
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from judgecli.answers import format_names
from tests.answers.format_rows import NO_MODEL, PAIR_ROWS, ROWS
from tests.conftest import Judge
from tests.judging import read_rows, script, write_jsonl
from tests.places import shared_data

QUESTIONS = {
    "mt-bench": {"question_id": 81, "turns": ["2+2?", "Sure?"]},
    "fastchat": {"question_id": 1, "text": "2+2?"},
    "arena-hard-v01": {"question_id": "u1", "turns": [{"content": "2+2?"}]},
    "openai-batch": {"custom_id": "q1", "body": {"messages": [{"role": "user", "content": "2+2?"}]}},
}


def with_answer(value: Any, text: str) -> Any:
    """Return a row whose answer is another one: a `4` that is an answer, not an id or a reference."""
    if isinstance(value, Mapping):
        kept = {"target", "references", "tags"}
        return {key: one if key in kept else with_answer(one, text) for key, one in value.items()}
    if isinstance(value, list):
        return [with_answer(one, text) for one in value]
    return text if value == "4" else value


def judged(judge: Judge, folder: Path, *arguments: object) -> Mapping[str, Any]:
    """Judge with a script that prefers what is right, and return the report."""
    model = script(folder, {"matches": r"Assistant 1's Answer\]\s*4\b", "reply": "9 2"}, "2 9")
    done = judge("pair", *arguments, *model, "--format", "json")
    assert done.code == 0, done.err
    report: Mapping[str, Any] = done.report
    return report


@pytest.mark.parametrize("name", ROWS)
def test_two_files_of_a_format_are_compared(judge: Judge, folder: Path, name: str) -> None:
    asked = []
    if name in QUESTIONS:
        asked = ["--questions", write_jsonl(folder / "questions.jsonl", [QUESTIONS[name]])]
    write_jsonl(folder / "a.jsonl", [with_answer(ROWS[name], "5")])
    write_jsonl(folder / "b.jsonl", [ROWS[name]])
    report = judged(judge, folder, "a.jsonl", "b.jsonl", *asked)
    assert report["counts"]["win"] == 1
    (pair,) = read_rows(folder / "a-vs-b.judge.jsonl", "item")
    assert (pair["instruction"], [one["output"] for one in pair["responses"]]) == ("2+2?", ["5", "4"])
    assert pair["responses"][1]["model"] == (None if name in NO_MODEL else "model-a")


@pytest.mark.parametrize("name", PAIR_ROWS)
def test_one_file_of_pairs_is_judged(judge: Judge, folder: Path, name: str) -> None:
    write_jsonl(folder / "pairs.jsonl", [PAIR_ROWS[name]])
    report = judged(judge, folder, "pairs.jsonl")
    assert report["counts"]["win"] + report["counts"]["loss"] == 1


def test_every_format_has_been_judged_here() -> None:
    assert {*ROWS, *PAIR_ROWS} == set(format_names())


def eval_log(text: str) -> bytes:
    """Return the bytes of an `.eval` archive."""
    stored = io.BytesIO()
    log = with_answer(ROWS["inspect"], text)
    with zipfile.ZipFile(stored, "w") as archive:
        archive.writestr("header.json", json.dumps({**log, "samples": None}))
        archive.writestr("samples/1_epoch_1.json", json.dumps(log["samples"][0]))
    return stored.getvalue()


def test_two_archives_of_inspect(judge: Judge, folder: Path) -> None:
    for name, text in (("a", "5"), ("b", "4")):
        (folder / f"{name}.eval").write_bytes(eval_log(text))
    report = judged(judge, folder, "a.eval", "b.eval")
    assert report["counts"]["win"] == 1
    assert "formats inspect (zip), inspect (zip)" in judge("report", "a-vs-b.judge.jsonl").out


def test_two_folders_of_helm(judge: Judge, folder: Path) -> None:
    for name, text in (("a", "5"), ("b", "4")):
        (folder / name).mkdir()
        instance = {"id": "id1", "input": {"text": "2+2?"}, "references": []}
        prediction = {"instance_id": "id1", "train_trial_index": 0, "predicted_text": text}
        (folder / name / "instances.json").write_text(json.dumps([instance]), encoding="utf-8")
        (folder / name / "display_predictions.json").write_text(json.dumps([prediction]), encoding="utf-8")
    assert judged(judge, folder, "a", "b")["counts"]["win"] == 1


def promptfoo(*providers: str) -> str:
    """Return promptfoo's results of providers, of whom the second is right."""
    rows = [
        {
            "testIdx": 0,
            "vars": {"question": "2+2?"},
            "provider": {"id": provider},
            "response": {"output": "4" if number == 1 else "5"},
        }
        for number, provider in enumerate(providers)
    ]
    return json.dumps({"results": {"results": rows}})


def test_one_result_of_two_providers(judge: Judge, folder: Path) -> None:
    (folder / "r.json").write_text(promptfoo("openai:a", "openai:b"), encoding="utf-8")
    report = judged(judge, folder, "r.json")
    models = (report["baseline"]["model"], report["candidate"]["model"])
    assert (models, report["counts"]["win"]) == (("openai:a", "openai:b"), 1)


def test_two_of_the_providers_of_one_result(judge: Judge, folder: Path) -> None:
    (folder / "r.json").write_text(promptfoo("x/a", "y/b", "z/c"), encoding="utf-8")
    model = script(folder, "9 2")
    done = judge("pair", "r.json", *model)
    assert (done.code, done.sentence) == (
        3,
        "r.json: holds 3 sets of answers: x/a, y/b, z/c; choose one with r.json#x/a",
    )
    assert judged(judge, folder, "r.json#z/c", "r.json#y/b")["counts"]["win"] == 1
    assert judge("rank", *(f"r.json#{name}" for name in ("x/a", "y/b", "z/c")), *model).code == 0


def test_the_three_answers_of_a_row_are_ranked(judge: Judge, folder: Path) -> None:
    row = {**PAIR_ROWS["judgelm-pairs"], "answer3_body": "6", "answer3_model_id": "model-c"}
    write_jsonl(folder / "s.jsonl", [row])
    names = [f"s.jsonl#answer{n}" for n in (1, 2, 3)]
    done = judge("rank", *names, *script(folder, "9 2"), "--format", "json")
    assert done.code == 0, done.err
    assert {one["model"] for one in done.report["models"]} == {"model-a", "model-b", "model-c"}
    assert judge("grade", "s.jsonl#answer4", *script(folder, "9 2")).sentence == (
        "s.jsonl#answer4: no answer is called so; there are answer1, answer2, answer3"
    )


def parquet_files(folder: Path) -> None:
    """Write two Parquet files."""
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    for name, text in (("a", "5"), ("b", "4")):
        rows = [{"id": 1, "question": "2+2?", "answer": text}]
        parquet.write_table(pyarrow.Table.from_pylist(rows), folder / f"{name}.parquet")


def csv_files(folder: Path) -> None:
    """Write what AutoArena takes: no ids, Excel's byte order mark, and a line end inside an answer."""
    for name, text in (("a", "5"), ("b", "4")):
        content = f'\ufeffprompt,response\r\n"2+2?","{text}\n\nis it"\r\n'
        (folder / f"{name}.csv").write_text(content, encoding="utf-8")


def judges_files(folder: Path) -> None:
    """Write the input of quotient's `judges`."""
    for name, text in (("a", "5"), ("b", "4")):
        rows = [{"input": "2+2?", "output": text, "expected": "4"}]
        (folder / f"{name}.json").write_text(json.dumps(rows), encoding="utf-8")


def gzip_files(folder: Path) -> None:
    """Write a packed file, and a plain one."""
    packed = gzip.compress(json.dumps(with_answer(ROWS["plain"], "5")).encode())
    (folder / "a.jsonl.gz").write_bytes(packed)
    write_jsonl(folder / "b.jsonl", [ROWS["plain"]])


@pytest.mark.parametrize(
    ("write", "a", "b"),
    [
        (parquet_files, "a.parquet", "b.parquet"),
        (csv_files, "a.csv", "b.csv"),
        (judges_files, "a.json", "b.json"),
        (gzip_files, "a.jsonl.gz", "b.jsonl"),
    ],
)
def test_other_files_that_people_have(
    judge: Judge, folder: Path, write: Callable[[Path], None], a: str, b: str
) -> None:
    write(folder)
    assert judged(judge, folder, a, b)["counts"]["win"] == 1


REAL = [
    ("vicuna80/answer_bard.jsonl", "vicuna80/answer_gpt35.jsonl", "vicuna80/question.jsonl"),
    ("mt-bench/gpt-4.jsonl", "mt-bench/vicuna-13b-v1.3.jsonl", "mt-bench/question.jsonl"),
    ("arena-hard/gpt-4-0613.jsonl", "arena-hard/gpt-3.5-turbo-0125.jsonl", None),
    ("pandalm/testset-v1.json", None, None),
    ("offsetbias/biasbench.json", None, None),
    ("normalised/llmbar-natural.jsonl", None, None),
]


@pytest.mark.parametrize(("a", "b", "questions"), REAL)
def test_real_files(judge: Judge, folder: Path, a: str, b: str | None, questions: str | None) -> None:
    names = []
    for name in (a, b, questions):
        if name is not None:
            shutil.copy(shared_data(name), folder / name.replace("/", "-"))
            names.append(name.replace("/", "-"))
    asked = ["--questions", names.pop()] if questions else []
    report = judged(judge, folder, *names, *asked, "--limit", 5, "--no-reference")
    assert sum(report["counts"][name] for name in ("win", "loss", "tie", "order_dependent")) == 5
