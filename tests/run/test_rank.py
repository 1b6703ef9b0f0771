"""A ranking from answer files to its record: what is asked, what comes back, and going on with it."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from judgecli.analysis import summarise_ranking
from judgecli.answers import AnswersOptions
from judgecli.backends.scripted import ScriptedBackend
from judgecli.errors import DataError, ModelError, UsageError
from judgecli.run import PreparedRun, RankOptions, execute, load_run, prepare_rank
from judgecli.types import Completion, DecidedBy, Failure, Order, Ranking, Request, RunRecord, Winner
from tests.judging import answers, last_rows, read_rows, write_jsonl

FILES = ("a.jsonl", "b.jsonl", "c.jsonl")
RUN = Path("a-vs-b-vs-c.judge.jsonl")
Reply = Callable[[Request], str | Completion]


@pytest.fixture
def files(folder: Path) -> Path:
    """Three models' answers to three questions; the longer one is better."""
    write(folder, a=["x x x x", "x", "x x"], b=["x x", "x x x", "x x x"], c=["x x x", "x x", "x x x x"])
    return folder


def write(folder: Path, **models: Sequence[str]) -> None:
    for name, texts in models.items():
        write_jsonl(folder / f"{name}.jsonl", answers(*texts))


def lengths(request: Request) -> list[int]:
    """Return the words of each answer of a JudgeLM prompt, by seat."""
    parts = request.prompt.text.split("'s Answer]\n")[1::2]
    return [part.partition("\n[The End")[0].split().count("x") for part in parts]


def by_length(request: Request) -> str:
    return " ".join(map(str, lengths(request))) + "\n"


def options(reply: Reply = by_length, **more: Any) -> RankOptions:
    own = {name: more.pop(name) for name in ("limit", "allow_missing", "seed") if name in more}
    source = AnswersOptions(files=more.pop("files", FILES), **own)
    return RankOptions(input=source, backend=ScriptedBackend(reply), **{"prompt": "judgelm", **more})


def ranked(reply: Reply = by_length, **more: Any) -> RunRecord:
    run = prepare_rank(options(reply, **more))
    execute(run)
    return load_run(run.path)


def asked(run: PreparedRun) -> list[tuple[str, str]]:
    return sorted((one.request.item_id, str(one.request.order)) for one in run.plan.requests)


def test_every_two_models_are_asked_about_in_both_orders(files: Path) -> None:
    run = prepare_rank(options())
    orders = ["AB", "AC", "BA", "BC", "CA", "CB"]
    assert asked(run) == [(f"q{n}", order) for n in (1, 2, 3) for order in orders]
    assert run.path == RUN


def test_the_header_says_what_was_ranked_and_how(files: Path) -> None:
    header = ranked().header
    told = {name: header[name] for name in ("mode", "ranking", "rotations", "models", "seed", "n_items")}
    assert told == {
        "mode": "rank",
        "ranking": "pairs",
        "rotations": None,
        "models": ["a", "b", "c"],
        "seed": 0,
        "n_items": 3,
    }
    assert header["input"]["files"] == list(FILES)
    assert ranked(mode=Ranking.JOINT).header["rotations"] == 3


def test_first_answers_are_shared_in_the_prompts_of_a_ranking(files: Path) -> None:
    run = prepare_rank(options(limit=1))
    for first in "ABC":
        one, other = (item.request.path for item in run.plan.requests if item.request.order.startswith(first))
        shared = [left for left, right in zip(one, other, strict=False) if left == right]
        assert len(shared) == len(one) - 1 == 3  # the last of them ends with the first answer


def test_each_two_models_are_read_back_as_a_pair(files: Path) -> None:
    record = ranked()
    assert record.verdicts == ()
    assert [str(letters) for letters in record.comparisons] == ["AB", "AC", "BC"]
    winners = {
        str(letters): [verdict.winner for verdict in compared.verdicts]
        for letters, compared in record.comparisons.items()
    }
    assert winners == {
        "AB": [Winner.A, Winner.B, Winner.B],
        "AC": [Winner.A, Winner.B, Winner.B],
        "BC": [Winner.B, Winner.A, Winner.B],
    }
    compared = record.comparisons[Order("BC")]
    assert [response.output for response in compared.items[0].responses] == ["x x", "x x x"]
    assert compared.judgments["q1", Order.AB].scores == {"A": 2.0, "B": 3.0}
    assert (compared.verdicts[0].score_a, compared.verdicts[0].score_b) == (2.0, 3.0)


def test_the_longest_answers_are_ranked_first(files: Path) -> None:
    summary = summarise_ranking(ranked())
    assert [one.side.model for one in summary.standings] == ["c", "b", "a"]
    assert summary.counts.n_verdicts == 9


def test_other_file_orders_rank_the_same_models(files: Path) -> None:
    def places(*names: str, mode: Ranking) -> dict[str | None, tuple[int | None, float | None]]:
        summary = summarise_ranking(ranked(files=names, mode=mode, out=Path(f"{mode}{''.join(names)}")))
        return {
            one.side.model: (one.rank, one.merit.value and round(one.merit.value, 6))
            for one in summary.standings
        }

    for mode in Ranking:
        once = places(*FILES, mode=mode)
        assert places("c.jsonl", "a.jsonl", "b.jsonl", mode=mode) == once
        assert places("b.jsonl", "a.jsonl", "c.jsonl", mode=mode) == once


def test_rules_decide_about_two_models_and_leave_the_others_to_the_judge(folder: Path) -> None:
    write(folder, a=["x", "x"], b=["x", ""], c=["x x", "x x"])
    run = prepare_rank(options())
    assert asked(run) == [("q1", order) for order in ("AC", "BC", "CA", "CB")] + [
        ("q2", order) for order in ("AC", "CA")
    ]
    record = ranked()
    rules = {
        str(letters): [one.decided_by for one in compared.verdicts]
        for letters, compared in record.comparisons.items()
    }
    assert rules == {
        "AB": [DecidedBy.EQUAL, DecidedBy.EMPTY_B],
        "AC": [DecidedBy.JUDGE] * 2,
        "BC": [DecidedBy.JUDGE, DecidedBy.EMPTY_A],
    }
    assert record.comparisons[Order("BC")].verdicts[1].winner is Winner.B


def test_a_failure_fails_its_two_models_only(files: Path) -> None:
    def reply(request: Request) -> str:
        return "no idea" if (request.item_id, request.order) == ("q1", "CA") else by_length(request)

    record = ranked(reply)
    failures = {
        str(letters): [one.failure for one in compared.verdicts]
        for letters, compared in record.comparisons.items()
    }
    assert failures == {"AB": [None] * 3, "AC": [Failure.UNREADABLE, None, None], "BC": [None] * 3}


def test_too_long_for_the_context_fails_what_does_not_fit(folder: Path) -> None:
    write(folder, a=["x " * 300], b=["x x"], c=["x"])
    record = ranked(n_ctx=300)
    failures = {
        str(letters): compared.verdicts[0].failure for letters, compared in record.comparisons.items()
    }
    assert failures == {"AB": Failure.TOO_LONG, "AC": Failure.TOO_LONG, "BC": None}


def test_a_judge_of_single_answers_grades_each_once(files: Path) -> None:
    def grade(request: Request) -> str:
        n = request.prompt.text.count("x")
        return f"Feedback: fine. [RESULT] {min(5, n)}"

    calls: Counter[tuple[str, str]] = Counter()

    def counted(request: Request) -> str:
        calls[request.item_id, str(request.order)] += 1
        return grade(request)

    family = single_family(files)
    record = ranked(counted, prompt=str(family))
    assert calls == {(f"q{n}", letter): 1 for n in (1, 2, 3) for letter in "ABC"}
    assert {str(order) for _, order in record.judgments} == {"A", "B", "C"}
    assert {one.winner for one in record.comparisons[Order("AB")].verdicts} == {Winner.A, Winner.B}
    summary = summarise_ranking(record)
    assert [one.side.model for one in summary.standings] == ["c", "b", "a"]
    assert summary.pairs is not None
    assert summary.pairs.position.consistency.method == "no seats: each answer was graded alone"


def single_family(folder: Path) -> Path:
    """Write a family that grades one answer at a time, and no pairs."""
    path = folder / "single.toml"
    path.write_text(
        """
name = "single"
wrapper = "raw"

[single]
reader = "last_match"
pattern = '\\[RESULT\\]\\s*{verdict}'

[single.grammar]
kind = "scores"
low = 1
high = 5
decimals = false
opening = " "
terminator = ""

[[single.block]]
text = "{question}\\n{response}\\nFeedback:"
""",
        encoding="utf-8",
    )
    return path


def test_joint_shows_each_answer_in_every_seat(files: Path) -> None:
    run = prepare_rank(options(mode=Ranking.JOINT))
    assert asked(run) == [(f"q{n}", order) for n in (1, 2, 3) for order in ("ABC", "BCA", "CAB")]
    assert run.path == Path("a-vs-b-vs-c.joint.judge.jsonl")
    for seat in range(3):
        assert {one.request.order[seat] for one in run.plan.requests} == set("ABC")


def test_joint_scores_are_of_the_models_whatever_their_seats(files: Path) -> None:
    record = ranked(mode=Ranking.JOINT)
    assert record.comparisons == {}
    for order in ("ABC", "BCA", "CAB"):
        assert record.judgments["q1", Order(order)].scores == {"A": 4.0, "B": 2.0, "C": 3.0}
    summary = summarise_ranking(record)
    assert [(one.side.model, one.merit.value) for one in summary.standings] == [
        ("c", 3),
        ("b", pytest.approx(8 / 3)),
        ("a", pytest.approx(7 / 3)),
    ]


def test_fewer_rotations_ask_less(files: Path) -> None:
    of_all = [("q1", "ABC"), ("q1", "BCA"), ("q1", "CAB")]
    assert asked(prepare_rank(options(mode=Ranking.JOINT, limit=1))) == of_all
    some = asked(prepare_rank(options(mode=Ranking.JOINT, rotations=2, limit=1)))
    assert len(some) == 2
    assert set(some) < set(of_all)


def test_of_fewer_rotations_each_item_draws_its_first(folder: Path) -> None:
    write(folder, **{name: [f"{name} x{n}" for n in range(60)] for name in "abc"})

    def first_in_line(seed: int) -> list[tuple[str, str]]:
        return asked(prepare_rank(options(mode=Ranking.JOINT, rotations=1, seed=seed)))

    drawn = first_in_line(0)
    counts = Counter(order[0] for _, order in drawn)
    assert set(counts) == set("ABC")
    assert min(counts.values()) >= 10
    assert drawn == first_in_line(0) != first_in_line(1)


@pytest.mark.parametrize("n", [1, 2])
def test_a_seats_worth_does_not_favour_a_model_where_rotations_are_few(folder: Path, n: int) -> None:
    write(folder, **{name: [f"{name} {'x ' * k}" for k in range(1, 61)] for name in "abc"})
    record = ranked(lambda request: "9 4 2\n", mode=Ranking.JOINT, rotations=n)
    summary = summarise_ranking(record)
    assert (summary.counts.n_verdicts, summary.counts.n_judgments) == (60, 60 * n)
    assert summary.joint is not None
    assert [seat.mean.value for seat in summary.joint.seats] == pytest.approx([9, 4, 2])
    assert all(abs((one.merit.value or 0) - 5) < 1 for one in summary.standings)
    if n == 2:
        assert [seat.effect.value for seat in summary.joint.seats] == pytest.approx([4, -1, -3])


def test_answers_that_are_all_alike_need_no_judge(folder: Path) -> None:
    write(folder, a=["x", "x"], b=["x", "x x"], c=["x", "x"])
    record = ranked(mode=Ranking.JOINT)
    assert record.decided == {("q1", Order("ABC")): DecidedBy.EQUAL}
    assert {item_id for item_id, _ in record.judgments} == {"q2"}


@pytest.mark.parametrize("mode", Ranking)
def test_a_ranking_goes_on_where_it_was_stopped(files: Path, mode: Ranking) -> None:
    whole = ranked(mode=mode)
    path = prepare_rank(options(mode=mode)).path
    rows = last_rows(path)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[: -len(rows) // 2]))
    run = prepare_rank(options(mode=mode))
    assert (run.n_kept, len(run.open)) == (
        len(rows) - len(rows) // 2 - len(rows) % 2,
        len(rows) // 2 + len(rows) % 2,
    )
    execute(run)
    assert last_rows(path) == rows
    assert summarise_ranking(load_run(path)) == summarise_ranking(whole)


def test_a_judge_that_dies_half_way_leaves_a_partial_ranking(files: Path) -> None:
    class Dying(ScriptedBackend):
        def judge(self, requests: Sequence[Request]) -> Any:
            return islice(super().judge(requests), 7)

    with pytest.raises(ModelError, match="the judge answered 7 of 18 prompts and stopped"):
        execute(prepare_rank(replace(options(), backend=Dying(by_length))))
    partial = summarise_ranking(load_run(RUN))
    assert 0 < partial.counts.n_open < 9
    ranked()
    assert len(read_rows(RUN, "judgment")) == 18
    assert summarise_ranking(load_run(RUN)).counts.n_open == 0


def test_another_ranking_does_not_go_into_the_same_file(files: Path) -> None:
    ranked(mode=Ranking.JOINT, out=RUN)
    with pytest.raises(DataError, match="--mode"):
        prepare_rank(options(out=RUN))
    with pytest.raises(DataError, match="--rotations"):
        prepare_rank(options(mode=Ranking.JOINT, rotations=2, out=RUN))


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"files": FILES[:2]}, "not 2; for two, use judge pair"),
        ({"files": FILES[:1]}, "needs three answer files or more, not 1$"),
        ({"files": tuple(f"{n}.jsonl" for n in range(20))}, "takes 19 answer files at most, not 20"),
        ({"rotations": 2}, "--rotations is for --mode joint"),
        ({"mode": Ranking.JOINT, "rotations": 0}, "--rotations must be from 1 to 3, the models, not 0"),
        ({"mode": Ranking.JOINT, "rotations": 4}, "not 4"),
    ],
)
def test_what_cannot_be_ranked_is_refused(more: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        options(**more)


def test_a_family_without_such_a_prompt_is_refused(files: Path) -> None:
    with pytest.raises(DataError, match="pandalm"):
        prepare_rank(options(mode=Ranking.JOINT, prompt="pandalm"))


def test_names_of_run_files_stay_legal() -> None:
    many = tuple(f"{'long' * 20}{n}.jsonl" for n in range(19))
    name = options(files=many, mode=Ranking.JOINT).run_file.name
    assert name == f"{'long' * 20}0-and-18-more.joint.judge.jsonl"
    assert options(out=Path("mine.jsonl")).run_file == Path("mine.jsonl")


def test_ids_that_a_file_lacks_are_left_out_when_that_is_allowed(folder: Path) -> None:
    write(folder, a=["x", "x x", "x"], b=["x x", "x"], c=["x x x", "x x x"])
    with pytest.raises(DataError, match="q3"):
        prepare_rank(options())
    run = prepare_rank(options(allow_missing=True))
    assert [one.item.id for one in run.plan.planned] == ["q1", "q2"]
    assert "left out: 1 that b.jsonl lacks, 1 that c.jsonl lacks" in run.given.lines
    assert run.header["input"]["missing"] == {"b.jsonl": ["q3"], "c.jsonl": ["q3"]}
