"""With a cache a judge is asked only what it was not asked before, by whatever run."""

import sqlite3
from collections.abc import Callable
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from judgecli.backends.scripted import ScriptedBackend, describe
from judgecli.cache import FILE_NAME, CompletionCache
from judgecli.errors import ModelError, UsageError
from judgecli.run import (
    FromCache,
    PreparedRun,
    Progress,
    Trusting,
    execute,
    left_by_cache,
    load_run,
    prepare_pair,
)
from judgecli.types import (
    Backend,
    Completion,
    Distribution,
    EngineOptions,
    Failure,
    Order,
    Request,
    RunRecord,
    Winner,
)
from tests.judging import answers, last_rows, read_rows, two_files, write_jsonl
from tests.run.made_up import RUN, both, by_seat, pair_options

Reply = Callable[[Request], str | Completion]
STORE = Path("store")
ADDRESS = {"model": "made-up", "base_url": "https://example.org/v1"}


class Judge(ScriptedBackend):
    """A judge at an address, which completions may be kept under; `asked` is what it was asked."""

    def __init__(self, reply: Reply = by_seat, **settings: Any) -> None:
        def noted(request: Request) -> str | Completion:
            self.asked.append((request.item_id, request.order))
            return reply(request)

        super().__init__(noted)
        self.asked: list[tuple[str, str]] = []
        self.settings = {**describe(), **ADDRESS, **settings}  # type: ignore[assignment]


@pytest.fixture(autouse=True)
def inputs(folder: Path) -> None:
    two_files(folder, ["a one", "a two", "a three"], ["b one", "b two", "b three"])


def prepare(judge: Judge, **more: Any) -> PreparedRun:
    return prepare_pair(pair_options(judge, **{"cache": STORE, "fresh": True, **more}))


def judged(judge: Judge, **more: Any) -> RunRecord:
    execute(prepare(judge, **more))
    return load_run(RUN)


def test_a_second_run_asks_what_changed_and_nothing_else() -> None:
    judged(Judge())
    write_jsonl(Path("b.jsonl"), answers("b one", "b two, but better", "b three"))
    judge = Judge()
    record = judged(judge)
    assert sorted(judge.asked) == both("q2")
    cached = {key for key, row in last_rows(RUN).items() if row["cached"]}
    assert cached == {*both("q1"), *both("q3")}
    assert [verdict.winner for verdict in record.verdicts] == [Winner.A] * 3


def test_what_is_served_is_what_the_judge_said() -> None:
    judged(Judge(with_probabilities))
    first = last_rows(RUN)
    judged(Judge(with_probabilities))
    second = last_rows(RUN)
    assert {key: {**row, "cached": False} for key, row in second.items()} == first
    assert all(row["cached"] for row in second.values())
    assert {row["elapsed_s"] for row in read_rows(RUN, "judgment")} == {0.0}


def test_the_order_and_the_ids_of_items_do_not_matter() -> None:
    judged(Judge())
    for name in ("a.jsonl", "b.jsonl"):
        rows = answers(*(f"{name[0]} {text}" for text in ("one", "two", "three")))
        write_jsonl(Path(name), [{**row, "id": f"new {row['id']}"} for row in reversed(rows)])
    judge = Judge()
    record = judged(judge)
    assert judge.asked == []
    assert [verdict.item_id for verdict in record.verdicts] == ["new q3", "new q2", "new q1"]
    assert [verdict.winner for verdict in record.verdicts] == [Winner.A] * 3


def test_files_that_changed_places_are_served_in_their_own_letters() -> None:
    judged(Judge())
    two_files(Path(), ["b one", "b two", "b three"], ["a one", "a two", "a three"])
    judge = Judge()
    record = judged(judge)
    assert judge.asked == []
    assert [verdict.winner for verdict in record.verdicts] == [Winner.B] * 3


def test_no_weights_are_loaded_where_all_is_served() -> None:
    judged(Judge())

    def refuse() -> AbstractContextManager[Backend]:
        raise ModelError("it does not load")

    execute(replace(prepare(Judge()), load=refuse))
    assert len(last_rows(RUN)) == 6
    write_jsonl(Path("b.jsonl"), answers("b one", "b two", "b 3"))
    before = RUN.read_bytes()
    with pytest.raises(ModelError, match="it does not load"):
        execute(replace(prepare(Judge()), load=refuse))
    assert RUN.read_bytes() == before


def test_it_is_said_before_the_judge_is_loaded_and_counted_in_the_progress() -> None:
    judged(Judge(), limit=2)
    said: list[str] = []
    run = prepare(Judge())
    load = run.load

    def loading() -> AbstractContextManager[Backend]:
        said.append("loaded")
        return load()

    def found(one: FromCache) -> None:
        said.append(f"{one.n_found} of {one.n_total}")

    seen: list[Progress] = []
    execute(replace(run, load=loading), seen.append, observe_cache=found)
    assert said == ["4 of 6", "loaded"]
    assert [one.n_done for one in seen] == [1, 2, 3, 4, 5, 6]
    assert [one.judgment.cached for one in seen] == [True] * 4 + [False] * 2
    assert {one.n_total for one in seen} == {6}
    assert [one.n_tokens_done for one in seen[:4]] == [0] * 4
    assert seen[-1].n_tokens_done == seen[-1].n_tokens_total > 0


class TestFailures:
    def test_are_neither_kept_nor_served(self) -> None:
        judged(Judge(lambda request: "I cannot." if request.item_id == "q2" else by_seat(request)))
        judge = Judge()
        record = judged(judge)
        assert sorted(judge.asked) == both("q2")
        assert record.verdicts[1].winner is Winner.A

    def test_of_the_engine_are_asked_again(self) -> None:
        judged(Judge(lambda request: Completion(request=request, error="out of memory")))
        with CompletionCache(STORE) as cache:
            assert cache.info().n_entries == 0
        judge = Judge()
        judged(judge)
        assert len(judge.asked) == 6

    def test_by_the_rules_of_this_run_are_asked_again(self) -> None:
        """What was said is read anew: with a higher least mass it may be a failure."""
        judged(Judge(with_probabilities), min_mass=0.5)
        judge = Judge(with_probabilities)
        record = judged(judge, min_mass=0.7)
        assert sorted(judge.asked) == both("q1")  # 0.6 on its verdicts
        assert record.judgments["q1", Order.AB].failure is Failure.LOW_MASS
        judge = Judge(with_probabilities)
        assert judged(judge, min_mass=0.5).judgments["q1", Order.AB].failure is None
        assert judge.asked == []

    def test_what_failed_at_a_higher_mass_is_not_there_at_a_lower_one(self) -> None:
        judged(Judge(with_probabilities), min_mass=0.7)
        judge = Judge(with_probabilities)
        judged(judge, min_mass=0.5)
        assert sorted(judge.asked) == both("q1")

    def test_a_damaged_row_is_asked_and_mended(self) -> None:
        judged(Judge())
        with CompletionCache(STORE) as cache:
            cache._connection.execute(
                "UPDATE completions SET completion = substr(completion, 3) WHERE rowid = 1"
            )
        for n_asked in (1, 0):
            judge = Judge()
            judged(judge)
            assert len(judge.asked) == n_asked


def with_probabilities(request: Request) -> Completion:
    mass = 0.6 if request.item_id == "q1" else 0.9
    text = by_seat(request)
    distribution = Distribution(
        p={text: mass / 3, "7 7\n": mass / 3}, greedy=text, p_unopened=mass / 3, preferred=("8", 0.5)
    )
    return Completion(request=request, text=text, distribution=distribution, n_prompt_tokens=9, elapsed_s=0.1)


class TestMisses:
    @pytest.mark.parametrize(
        "more",
        [
            {"model": "another"},
            {"base_url": "https://example.com/v1"},
            {"n_ubatch": 128},
            {"prompts_per_call": 4},
            {"llama_cpp": "b9999"},
        ],
    )
    def test_another_judge_or_engine(self, more: dict[str, Any]) -> None:
        judged(Judge())
        judge = Judge(**more)
        judged(judge)
        assert len(judge.asked) == 6

    @pytest.mark.parametrize("more", [{"reasons": True}, {"aspect": "safety"}, {"cot": True}])
    def test_another_way_to_ask(self, more: dict[str, Any]) -> None:
        judged(Judge())
        judge = Judge()
        judged(judge, **more)
        assert len(judge.asked) == 6

    def test_another_folder(self) -> None:
        judged(Judge())
        judge = Judge()
        judged(judge, cache=Path("elsewhere"))
        assert len(judge.asked) == 6

    @pytest.mark.parametrize("more", [{"n_ctx": 512}, {"n_threads": 1}, {"exact": False}, {"seed": 3}])
    def test_what_leaves_answers_as_they_are_is_no_difference(self, more: dict[str, Any]) -> None:
        judged(Judge())
        judge = Judge(**more)
        judged(judge)
        assert judge.asked == []


def test_without_a_cache_nothing_is_kept(folder: Path) -> None:
    judged(Judge(), cache=False)
    assert not STORE.exists()
    judge = Judge()
    judged(judge)
    assert len(judge.asked) == 6
    judge = Judge()
    judged(judge, cache=False)
    assert len(judge.asked) == 6


def test_judgecli_s_own_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUDGE_CACHE_DIR", "own")
    for n_asked in (6, 0):
        judge = Judge()
        judged(judge, cache=True)
        assert len(judge.asked) == n_asked
    assert [path.name for path in Path("own").iterdir()] == ["judgments.sqlite"]


def test_a_judge_that_nothing_tells_apart_from_others_is_asked_anew() -> None:
    for _ in range(2):
        judge = Judge(base_url=None)
        with pytest.warns(
            RuntimeWarning, match="is asked anew, neither weights nor an address say what it is"
        ):
            judged(judge)
        assert len(judge.asked) == 6


@pytest.mark.parametrize("cache", ["", 3, None])
def test_what_names_no_folder_is_refused(cache: Any) -> None:
    with pytest.raises(UsageError, match="--cache-dir must name a folder, not "):
        pair_options(Judge(), cache=cache)


def test_a_run_that_goes_on_asks_the_cache_for_the_rest_only() -> None:
    judged(Judge())
    judged(Judge(), limit=1, cache=False)
    said: list[FromCache] = []
    judge = Judge()
    execute(prepare(judge, fresh=False), observe_cache=said.append)
    assert judge.asked == []
    assert [(one.n_found, one.n_total) for one in said] == [(4, 4)]
    assert [row["cached"] for row in read_rows(RUN, "judgment")] == [False] * 2 + [True] * 4


def test_an_interrupted_run_has_kept_what_was_said() -> None:
    def dying(request: Request) -> str:
        if request.item_id == "q3":
            raise KeyboardInterrupt
        return by_seat(request)

    with pytest.raises(KeyboardInterrupt):
        judged(Judge(dying))
    judge = Judge()
    judged(judge)
    assert sorted(judge.asked) == both("q3")


class TestTrouble:
    def test_a_cache_that_cannot_be_used_is_a_warning(self) -> None:
        STORE.write_text("a file", encoding="utf-8")
        judge = Judge()
        with pytest.warns(RuntimeWarning, match="going on without a cache: store: no folder for a cache"):
            record = judged(judge)
        assert len(judge.asked) == len(record.judgments) == 6

    def test_trouble_on_the_way_is_one_warning(self) -> None:
        def damaged(request: Request) -> str:
            with closing(sqlite3.connect(STORE / FILE_NAME)) as other:
                other.execute("DROP TABLE IF EXISTS completions")
            return by_seat(request)

        with pytest.warns(RuntimeWarning, match="going on without a cache: ") as caught:
            record = judged(Judge(damaged))
        assert len(caught) == 1
        assert len(record.judgments) == 6

    def test_nothing_is_said_of_a_cache_that_is_not_used(self) -> None:
        STORE.write_text("a file", encoding="utf-8")
        said: list[FromCache] = []
        with pytest.warns(RuntimeWarning, match="going on without a cache"):
            execute(prepare(Judge()), observe_cache=said.append)
        assert said == []


class TestCascade:
    def prepare(self, judge: Judge, stronger: Judge) -> PreparedRun:
        write_jsonl(Path("stronger.jsonl"), [{"reply": "7 7\n"}])
        trusting = Trusting(escalate="scripted:stronger.jsonl", escalate_prompt="judgelm")
        run = prepare(judge, trusting=trusting)
        assert run.second is not None
        second = replace(run.second, load=lambda: nullcontext(stronger))
        described = {**run.header["escalation"], "backend": dict(stronger.settings)}
        return replace(run, second=second, header={**run.header, "escalation": described})

    def test_the_stronger_judge_is_served_too(self) -> None:
        asked = []
        for _ in range(2):
            judge, stronger = Judge(lambda _: "8 6\n"), Judge(model="stronger")
            said: list[FromCache] = []
            execute(self.prepare(judge, stronger), observe_cache=said.append)
            asked.append((len(judge.asked), len(stronger.asked)))
        assert asked == [(6, 6), (0, 0)]
        assert [(one.judge, one.n_found, one.n_total) for one in said] == [
            ("backend", 6, 6),
            ("scripted:stronger.jsonl", 6, 6),
        ]
        record = load_run(RUN)
        assert {one.cached for one in record.escalated.values()} == {True}
        assert [verdict.winner for verdict in record.verdicts] == [Winner.A] * 3


def test_what_a_dry_run_would_ask() -> None:
    assert len(left_by_cache(prepare(Judge()))) == 6
    assert not STORE.exists()
    judged(Judge(), limit=2)
    left = left_by_cache(prepare(Judge()))
    assert {one.request.item_id for one in left} == {"q3"}
    assert sum(one.n_new_tokens for one in left) > 0
    assert len(left_by_cache(prepare(Judge(), cache=False))) == 6


def test_the_engine_s_options_are_told_apart_by_what_they_change() -> None:
    """Threads leave logits as they are, bit for bit."""
    judged(Judge(), engine=EngineOptions(n_threads=1))
    judge = Judge()
    judged(judge, engine=EngineOptions(n_threads=2, parallel=3))
    assert judge.asked == []
