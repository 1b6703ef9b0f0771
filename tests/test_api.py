"""The same from Python, with a judge that is a function."""

from collections.abc import Callable
from dataclasses import fields
from pathlib import Path

import pytest

import judgecli
from judgecli.backends.scripted import ScriptedBackend
from judgecli.errors import DataError, ModelError, UsageError
from judgecli.run.calibration_file import read_calibration
from judgecli.types import CacheType, Completion, EngineOptions, Failure, Order, Request, SplitMode, Winner
from tests.judging import last_rows, two_files, write_jsonl
from tests.labelling import label_rows, pair_rows, sure_verdicts, votes, write_labels


def prefers_good(request: Request) -> str:
    first = request.prompt.text.split("[The Start of Assistant 1's Answer]\n")[1]
    return "9 3\n" if first.startswith("GOOD") else "3 9\n"


@pytest.fixture(autouse=True)
def inputs(folder: Path) -> None:
    two_files(folder, ["GOOD", "poor", "poor"], ["poor", "GOOD", "GOOD"])


def test_a_run_and_its_result() -> None:
    backend = ScriptedBackend(prefers_good)
    result = judgecli.pair("a.jsonl", Path("b.jsonl"), backend=backend, prompt="judgelm")
    assert [verdict.winner for verdict in result.record.verdicts] == [Winner.A, Winner.B, Winner.B]
    assert (result.summary.counts.n_win, result.summary.counts.n_loss) == (2, 1)
    assert result.summary.win_rate.value == pytest.approx(2 / 3)
    assert result.path == Path("a-vs-b.judge.jsonl")
    assert backend.n_calls == 6
    assert result.text().startswith("no difference shown")
    assert result.text("markdown").startswith("###")
    assert judgecli.report(result.path) == result


def test_it_resumes_as_the_command_does() -> None:
    backend = ScriptedBackend(prefers_good)
    options = {"backend": backend, "prompt": "judgelm", "out": "run.jsonl"}
    judgecli.pair("a.jsonl", "b.jsonl", **options, limit=1)
    judgecli.pair("a.jsonl", "b.jsonl", **options)
    judgecli.pair("a.jsonl", "b.jsonl", **options)
    assert backend.n_calls == 6


def test_options_take_the_words_of_the_command_line() -> None:
    seen = []
    result = judgecli.pair(
        "a.jsonl",
        "b.jsonl",
        backend=ScriptedBackend(prefers_good),
        prompt="judgelm",
        orders="ab",
        overflow="truncate",
        pair_by="line",
        limit=2,
        observe=seen.append,
    )
    assert len(result.record.judgments) == len(seen) == 2
    assert result.record.header["input"]["paired_by"] == "line"
    with pytest.raises(UsageError, match="orders must be one of both, ab, not 'ba'"):
        judgecli.pair("a.jsonl", "b.jsonl", orders="ba")
    with pytest.raises(UsageError, match="pair_by must be one of auto, id"):
        judgecli.pair("a.jsonl", "b.jsonl", pair_by="name")


@pytest.mark.parametrize(
    ("called", "sentence"),
    [
        (lambda: judgecli.agree(None, None), "run must be the path of a file, not None"),
        (lambda: judgecli.agree("run.jsonl", 5), "labels must be the path of a file, not 5"),
        (lambda: judgecli.report(b"run.jsonl"), "path must be the path of a file, not b'run.jsonl'"),
        (lambda: judgecli.validate("run.jsonl", None), "labels must be the path of a file, not None"),
        (
            lambda: judgecli.validate("run.jsonl", "l.jsonl", epsilon="0.2"),
            "epsilon must be a number, not '0.2'",
        ),
        (lambda: judgecli.calibrate("run.jsonl", "l.jsonl", agree=True), "agree must be a number, not True"),
        (lambda: judgecli.calibrate("run.jsonl", "l.jsonl", 5), "out must be the path of a file, not 5"),
        (lambda: judgecli.pair(None), "baseline must be the path of a file, not None"),
        (
            lambda: judgecli.pair("a.jsonl", ["b.jsonl"]),
            "candidate must be the path of a file, not ['b.jsonl']",
        ),
        (lambda: judgecli.grade(1.5), "answers must be the path of a file, not 1.5"),
        (lambda: judgecli.rank(None), "rank() takes a list of three answer files or more, not None"),
        (lambda: judgecli.rank(["a.jsonl", None]), "each of answers must be the path of a file, not None"),
        (lambda: trusted(below="0.5"), "--below is a probability above 0 and up to 1, not '0.5'"),
        (lambda: trusted(below=True), "--below is a probability above 0 and up to 1, not True"),
        (lambda: trusted(below=1.5), "--below is a probability above 0 and up to 1, not 1.5"),
        (lambda: trusted(escalate=7), "--escalate is the name of a stronger judge, not 7"),
        (lambda: trusted(calibration=7), "calibration must be the path of a file, not 7"),
    ],
)
def test_arguments_of_the_wrong_type_are_refused_in_a_sentence(
    called: Callable[[], object], sentence: str
) -> None:
    with pytest.raises(UsageError) as error:
        called()
    assert str(error.value) == sentence


def trusted(**options: object) -> object:
    return judgecli.pair("a.jsonl", "b.jsonl", **options)


def test_a_chat_family_is_asked_where_none_is_named() -> None:
    result = judgecli.pair("a.jsonl", "b.jsonl", backend=ScriptedBackend(lambda _: 'A"'))
    assert result.record.header["prompt"]["family"] == "chat"
    assert {verdict.order_dependent for verdict in result.record.verdicts} == {True}


def test_a_judge_may_return_whole_completions() -> None:
    def reply(request: Request) -> Completion:
        if request.order == Order.BA:
            return Completion(request=request, error="out of memory")
        return Completion(request=request, text="9 3\n", elapsed_s=0.5, n_prompt_tokens=7)

    result = judgecli.pair("a.jsonl", "b.jsonl", backend=ScriptedBackend(reply), prompt="judgelm")
    assert {verdict.failure for verdict in result.record.verdicts} == {Failure.ENGINE}
    assert last_rows(result.path)["q1", "AB"]["n_prompt_tokens"] == 7
    assert result.summary.win_rate.value is None


def test_errors_are_those_of_the_command() -> None:
    with pytest.raises(DataError, match=r"c\.jsonl: no such file"):
        judgecli.pair("a.jsonl", "c.jsonl", backend=ScriptedBackend(prefers_good))
    with pytest.raises(ModelError, match="no judge model"):
        judgecli.pair("a.jsonl", "b.jsonl")
    with pytest.raises(DataError, match="not a run file"):
        judgecli.report("a.jsonl")
    with pytest.raises(AttributeError, match="no attribute 'pears'"):
        _ = judgecli.pears


def test_engine_options_reach_the_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    def opened(_path: Path, **options: object) -> ScriptedBackend:
        seen.append(options)
        return ScriptedBackend(prefers_good)

    monkeypatch.setattr("judgecli.backends.scripted.open_backend", opened)
    script = {"model": "scripted:judge.jsonl", "prompt": "judgelm"}
    Path("judge.jsonl").write_text('{"reply": "1 2"}', encoding="utf-8")
    engine = {
        "n_threads": 4,
        "n_gpu_layers": 20,
        "n_ubatch": 128,
        "type_k": "q8_0",
        "type_v": CacheType.BF16,
        "flash_attn": False,
        "split_mode": "row",
        "main_gpu": 1,
        "tensor_split": [3, 1],
        "parallel": 8,
        "prompts_per_call": 2,
        "max_calls": 5,
        "timeout_s": 30,
        "price": [0.5, 2],
    }
    judgecli.pair("a.jsonl", "b.jsonl", **script, **engine)
    (options,) = seen
    assert options["engine"] == EngineOptions(
        **engine
        | {
            "type_k": CacheType.Q8_0,
            "split_mode": SplitMode.ROW,
            "tensor_split": (3.0, 1.0),
            "price": (0.5, 2.0),
        }
    )
    assert options["engine"].type_k is CacheType.Q8_0
    assert set(engine) == {field.name for field in fields(EngineOptions)}


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"type_k": "q9"}, "type_k must be one of f32, f16, bf16, q8_0, q5_1, q5_0, q4_1, q4_0, not 'q9'"),
        ({"split_mode": "rows"}, "split_mode must be one of none, layer, row, not 'rows'"),
        ({"tensor_split": "3,1"}, "tensor_split must be numbers, such as (3, 1), not '3,1'"),
        ({"tensor_split": 3}, "tensor_split must be numbers, such as (3, 1), not 3"),
        ({"tensor_split": [None]}, "tensor_split must be numbers, such as (3, 1), not [None]"),
        ({"paralel": 8}, "pair() has no option 'paralel'; did you mean parallel"),
        ({"engine": EngineOptions()}, "pair() has no option 'engine'"),
    ],
)
def test_engine_options_that_mean_nothing(wrong: dict[str, object], sentence: str) -> None:
    with pytest.raises(UsageError) as error:
        judgecli.pair("a.jsonl", "b.jsonl", backend=ScriptedBackend(prefers_good), **wrong)
    assert str(error.value) == sentence


def test_a_misspelt_option_names_the_close_ones() -> None:
    with pytest.raises(UsageError, match="no option 'limmit'; did you mean limit"):
        judgecli.pair("a.jsonl", "b.jsonl", limmit=3)


@pytest.mark.parametrize("answers", ["a.jsonl", Path("a.jsonl")])
def test_a_ranking_of_one_file_says_that_it_takes_a_list(answers: object) -> None:
    with pytest.raises(
        UsageError, match=r"rank\(\) takes a list of three answer files or more, not 'a.jsonl'"
    ):
        judgecli.rank(answers)  # type: ignore[arg-type]


def test_a_run_and_people() -> None:
    run = judgecli.pair("a.jsonl", "b.jsonl", backend=ScriptedBackend(prefers_good), prompt="judgelm")
    labels = write_labels(Path(), label_rows("ABA", kind="x"))
    result = judgecli.agree(run.path, Path(labels), by="kind")
    assert result.summary.agreement is not None
    assert result.summary.agreement.accuracy.value == pytest.approx(2 / 3)
    assert [part.name for part in result.summary.splits] == ["x"]
    assert (result.path, result.record) == (run.path, run.record)
    assert result.text("markdown").startswith("###")


def test_labelled_pairs_are_judged_first() -> None:
    rows = [{**row, "winner": label} for row, label in zip(pair_rows(("A", "B")), "AA", strict=True)]
    write_jsonl(Path("pairs.jsonl"), rows)
    backend, seen = ScriptedBackend(prefers_good), []
    options = {"backend": backend, "prompt": "judgelm"}
    result = judgecli.agree("pairs.jsonl", out="run.jsonl", observe=seen.append, **options)
    assert (backend.n_calls, len(seen), result.path) == (4, 4, Path("run.jsonl"))
    assert result.summary.agreement is not None
    assert result.summary.agreement.accuracy.value == 0.5
    assert judgecli.agree("run.jsonl").summary.agreement == result.summary.agreement
    assert judgecli.agree("pairs.jsonl", "pairs.jsonl", out="run.jsonl", **options).summary.compared.n == 2
    assert backend.n_calls == 4


def test_options_for_judging_what_is_judged() -> None:
    write_jsonl(Path("verdicts.jsonl"), label_rows("AB"))
    labels = write_labels(Path(), label_rows("AB"))
    for wrong in ({"model": "demo"}, {"out": "x.jsonl"}, {"limit": 3}):
        with pytest.raises(UsageError) as error:
            judgecli.agree("verdicts.jsonl", labels, **wrong)
        name = next(iter(wrong))
        assert str(error.value) == f"verdicts.jsonl is judged already, so {name} is of no use; leave it out"
    with pytest.raises(UsageError, match=r"agree\(\) has no option 'modle'; did you mean model"):
        judgecli.agree("a.jsonl", labels, modle="demo")


def test_validation_and_calibration() -> None:
    words = ("A", "B") * 30
    write_jsonl(Path("verdicts.jsonl"), sure_verdicts(words, wrong=range(1, 61, 20)))
    people = write_labels(Path(), votes(words, words, words))
    validated = judgecli.validate("verdicts.jsonl", people, epsilon=0.25)
    assert (validated.summary.epsilon, validated.summary.passes) == (0.25, True)
    made = judgecli.calibrate("verdicts.jsonl", people, "cal.json", agree=0.7, seed=4)
    assert made.summary.calibration.agree == 0.7
    assert read_calibration(Path("cal.json")) == made.summary.calibration
    before = set(Path().iterdir())
    assert judgecli.calibrate("verdicts.jsonl", people, agree=0.7, seed=4).summary == made.summary
    assert set(Path().iterdir()) == before
    with pytest.raises(UsageError, match="this is an input, which the calibration would overwrite"):
        judgecli.calibrate("verdicts.jsonl", people, people)


def test_a_report_with_labels() -> None:
    words = ("A", "B", "B") * 10
    write_jsonl(Path("pairs.jsonl"), pair_rows(words))
    run = judgecli.pair("pairs.jsonl", backend=ScriptedBackend(prefers_good), prompt="judgelm")
    assert run.summary.adjusted is None
    adjusted = judgecli.report(run.path, write_labels(Path(), label_rows(words[:21]))).summary.adjusted
    assert adjusted is not None
    assert adjusted.n_labelled == 21
    with pytest.raises(DataError, match="needs 20"):
        judgecli.report(run.path, write_labels(Path(), label_rows(words[:19])))


def test_a_calibration_is_named_by_a_text() -> None:
    options = {"backend": ScriptedBackend(prefers_good), "prompt": "judgelm"}
    with pytest.raises(DataError, match=r"none\.json: cannot read the calibration"):
        judgecli.pair("a.jsonl", "b.jsonl", calibration="none.json", **options)
    with pytest.raises(UsageError, match="--below is a probability"):
        judgecli.pair("a.jsonl", "b.jsonl", below=2, **options)
