"""Prompts are counted before a judge is asked; what does not fit is set apart or cut, both sides alike."""

from pathlib import Path
from typing import Any

import pytest

from judgecli.analysis import summarise
from judgecli.backends.scripted import ScriptedBackend, WordTokenizer
from judgecli.errors import UsageError
from judgecli.run import Orders, Overflow, PreparedRun, execute, load_run, prepare_pair
from judgecli.run.fitting import ANSWERS_CUT, MIN_TEXT_TOKENS, VERDICT_TOKENS, shown_item
from judgecli.run.planning import MAX_TEXT_TOKENS
from judgecli.types import BOTH_ORDERS, DecidedBy, Failure, Order, Winner
from tests.judging import read_rows, two_files, write_jsonl
from tests.run.made_up import pair_options, words

TRAINED = 512


@pytest.fixture
def trained(monkeypatch: pytest.MonkeyPatch) -> None:
    """The judge was trained for 512 tokens."""
    monkeypatch.setattr(WordTokenizer, "n_ctx_train", TRAINED)


@pytest.fixture
def prepare(folder: Path) -> Any:
    """Prepare a run of answers of so many words; the options follow."""

    def run(a: list[int], b: list[int], **more: Any) -> PreparedRun:
        two_files(folder, [words(n, "a") for n in a], [words(n, "b") for n in b])
        return prepare_pair(pair_options(ScriptedBackend(lambda _: "8 6\n"), **more))

    return run


@pytest.fixture
def frame(prepare: Any) -> int:
    """Tokens of a prompt around its two answers."""
    return prepare([1], [1]).plan.requests[0].n_tokens - 2


def test_the_context_is_that_of_the_longest_prompt(prepare: Any, frame: int) -> None:
    longest = frame + 700 + 300 + VERDICT_TOKENS
    plan = prepare([700, 1], [300, 1]).plan
    assert plan.n_ctx >= longest
    assert plan.n_ctx < longest + 256
    assert plan.n_ctx % 256 == 0
    assert plan.n_ctx_limit is None
    assert plan.n_tokens == 2 * (frame + 1000) + 2 * (frame + 2)


@pytest.mark.usefixtures("trained")
def test_the_context_stays_within_what_the_model_was_trained_for(
    prepare: Any, frame: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(WordTokenizer, "n_ctx_train", 500)
    plan = prepare([500 - frame - VERDICT_TOKENS - 1], [1]).plan
    assert (plan.n_ctx, plan.n_ctx_limit) == (500, 500)
    assert len(plan.requests) == 2


def test_n_ctx_is_taken_as_given(prepare: Any) -> None:
    assert prepare([1], [1], n_ctx=4000).plan.n_ctx == 4000


@pytest.mark.usefixtures("trained")
def test_more_context_than_the_model_was_trained_for_is_refused(prepare: Any) -> None:
    with pytest.raises(UsageError) as error:
        prepare([1], [1], n_ctx=513, model="my-judge")
    assert str(error.value) == (
        "--n-ctx 513 is more than the 512 tokens that my-judge was trained for; "
        "leave it out, the context is chosen from the data"
    )


@pytest.mark.usefixtures("trained")
def test_a_pair_fits_up_to_the_last_token(prepare: Any, frame: int) -> None:
    room = TRAINED - frame - VERDICT_TOKENS
    plan = prepare([room - 1, room], [1, 1]).plan
    assert [item.request.item_id for item in plan.requests] == ["q1", "q1"]
    assert [(one.item_id, one.order) for one in plan.too_long] == [("q2", Order.AB), ("q2", Order.BA)]


CONCLUSION = "Scores for Assistant 1 and 2, respectively:"  # JudgeLM's own, put after its reasons
N_END = len(CONCLUSION.split()) + VERDICT_TOKENS


@pytest.mark.usefixtures("trained")
def test_reasons_and_what_is_put_after_them_have_room(prepare: Any) -> None:
    frame = prepare([1], [1], cot=True).plan.requests[0].n_tokens - 2
    room = TRAINED - frame - MIN_TEXT_TOKENS - N_END
    plan = prepare([room - 1, room, room - 3], [1, 1, 1], cot=True).plan
    asked = {item.request.item_id: item for item in plan.requests}
    assert {one.item_id for one in plan.too_long} == {"q2"}
    assert asked["q1"].n_tokens + MIN_TEXT_TOKENS + N_END == TRAINED
    assert {key: item.request.n_reason_tokens for key, item in asked.items()} == {
        "q1": MIN_TEXT_TOKENS,
        "q3": MIN_TEXT_TOKENS + 2,
    }
    assert {item.request.conclusion.strip() for item in asked.values()} == {CONCLUSION}
    assert plan.n_ctx == TRAINED


def test_the_context_has_room_for_what_is_put_after_the_reasons(prepare: Any) -> None:
    frame = prepare([1], [1], cot=True).plan.requests[0].n_tokens - 2
    n_others = frame + MAX_TEXT_TOKENS + N_END
    fills = -n_others % 256  # words that fill the context to the last token
    assert prepare([fills - 1], [1], cot=True).plan.n_ctx == n_others + fills
    assert prepare([fills], [1], cot=True).plan.n_ctx == n_others + fills + 256


@pytest.mark.usefixtures("trained")
def test_answers_are_cut_to_leave_that_room(prepare: Any) -> None:
    plan = prepare([600], [1], cot=True, overflow=Overflow.TRUNCATE).plan
    assert {item.n_tokens for item in plan.requests} == {TRAINED - MIN_TEXT_TOKENS - N_END}


@pytest.mark.usefixtures("trained")
def test_a_pair_too_long_fails_with_its_size_and_the_others_go_on(prepare: Any, frame: int) -> None:
    run = prepare([1, 600], [2, 3])
    execute(run)
    first, second = load_run(run.path).verdicts
    assert first.failure is None
    assert (second.winner, second.failure) == (None, Failure.TOO_LONG)
    assert second.detail == f"{frame + 603:,} tokens of 512"


@pytest.mark.usefixtures("trained")
@pytest.mark.parametrize("orders", list(Orders))
def test_overflow_truncate_cuts_both_answers_alike(prepare: Any, frame: int, orders: Orders) -> None:
    run = prepare([600], [500], overflow=Overflow.TRUNCATE, orders=orders)
    assert run.plan.too_long == ()
    assert {item.n_tokens for item in run.plan.requests} == {TRAINED - VERDICT_TOKENS}
    (planned,) = run.plan.planned
    shown = shown_item(planned)
    a, b = shown.response_a.output, shown.response_b.output
    assert len(a) == len(b) == planned.shown_characters
    assert words(600, "a").startswith(a)
    assert words(500, "b").startswith(b)
    assert all(f"\n{a}\n" in item.request.prompt.text for item in run.plan.requests)
    assert all(item.request.prompt_hash == item.request.prompt.hash for item in run.plan.requests)


@pytest.mark.usefixtures("trained")
def test_cut_answers_are_flagged_alike_and_kept_whole(prepare: Any) -> None:
    run = prepare([600, 700, 1], [500, 400, 2], overflow=Overflow.TRUNCATE)
    execute(run)
    record = load_run(run.path)
    assert [pair.flags for pair in record.items] == [(ANSWERS_CUT,), (ANSWERS_CUT,), ()]
    assert [verdict.flags for verdict in record.verdicts] == [(ANSWERS_CUT,), (ANSWERS_CUT,), ()]
    assert record.items[1].response_a.output == words(700, "a")
    shown = [row.get("shown_characters") for row in read_rows(run.path, "item")]
    assert shown == [planned.shown_characters for planned in run.plan.planned]
    assert summarise(record).side_a.median_characters == len(words(600, "a"))


@pytest.mark.usefixtures("trained")
def test_a_verdict_in_the_part_that_was_cut_off_is_no_quotation(folder: Path) -> None:
    two_files(folder, [f"{words(600)}\n8 6\nend"], [words(600, "b")])
    run = prepare_pair(pair_options(ScriptedBackend(lambda _: "8 6\n"), overflow=Overflow.TRUNCATE))
    execute(run)
    assert [one.failure for one in load_run(run.path).judgments.values()] == [None, None]


@pytest.mark.usefixtures("trained")
def test_a_run_with_cut_answers_goes_on(prepare: Any) -> None:
    run = prepare([600, 1], [500, 2], overflow=Overflow.TRUNCATE)
    execute(run)
    again = prepare([600, 1], [500, 2], overflow=Overflow.TRUNCATE)
    assert again.open == ()
    assert again.existing.has_plan


@pytest.mark.usefixtures("trained")
def test_an_answer_shorter_than_the_cut_stays_whole(prepare: Any) -> None:
    run = prepare([3, 600], [4, 5], overflow=Overflow.TRUNCATE)
    whole, cut = run.plan.planned
    assert (whole.item.flags, whole.shown_characters) == ((), None)
    assert shown_item(cut).response_b.output == words(5, "b")
    assert len(shown_item(cut).response_a.output) < len(words(600, "a"))


@pytest.mark.usefixtures("trained")
def test_answers_that_are_equal_once_cut_are_too_long(folder: Path) -> None:
    two_files(folder, [words(600) + " one"], [words(600) + " two"])
    run = prepare_pair(pair_options(ScriptedBackend(lambda _: "8 6\n"), overflow=Overflow.TRUNCATE))
    assert [one.failure for one in run.plan.too_long] == [Failure.TOO_LONG] * 2
    assert run.plan.requests == ()


def test_where_not_even_the_frame_fits_nothing_is_cut(prepare: Any) -> None:
    run = prepare([9], [8], n_ctx=20, overflow=Overflow.TRUNCATE)
    assert len(run.plan.too_long) == 2
    assert run.plan.planned[0].item.flags == ()


@pytest.mark.usefixtures("trained")
def test_reasons_get_what_the_context_leaves(prepare: Any, frame: int) -> None:
    room = TRAINED - VERDICT_TOKENS
    plan = prepare([1, room - frame - 1], [1, 1], reasons=True).plan
    budgets = [item.request.n_reason_tokens for item in plan.requests]
    assert budgets == [room - frame - 2, room - frame - 2, 0, 0]
    assert plan.n_ctx == TRAINED
    assert plan.too_long == ()


def test_reasons_take_512_tokens_at_most(prepare: Any) -> None:
    plan = prepare([1], [1], reasons=True, n_ctx=100_000).plan
    assert [item.request.n_reason_tokens for item in plan.requests] == [512, 512]
    assert prepare([1], [1]).plan.requests[0].request.n_reason_tokens == 0


def test_pairs_decided_without_the_judge_are_not_asked(folder: Path) -> None:
    two_files(folder, ["same", "x", "", "<think>"], ["same", "y", "z", ""])
    backend = ScriptedBackend(lambda _: "8 6\n")
    run = prepare_pair(pair_options(backend))
    execute(run)
    assert backend.n_calls == 2
    verdicts = load_run(run.path).verdicts
    assert [verdict.decided_by for verdict in verdicts] == [
        *(DecidedBy.EQUAL, DecidedBy.JUDGE, DecidedBy.EMPTY_A, DecidedBy.BOTH_EMPTY)
    ]
    assert verdicts[2].winner == Winner.B


def test_shared_beginnings_count_once(prepare: Any, frame: int) -> None:
    first, second, third, _ = prepare([5, 5], [7, 7]).plan.requests
    assert first.n_new_tokens == first.n_tokens == frame + 12
    system_and_question = 14 + 9  # JudgeLM's first line; the question and the first heading
    assert second.n_new_tokens == second.n_tokens - system_and_question
    assert third.n_new_tokens == third.n_tokens - 14


def test_requests_that_begin_alike_are_next_to_each_other(folder: Path) -> None:
    rows = [(f"q{n}", f"Question {n % 2}?", f"answer {n}") for n in range(4)]
    for name in ("a", "b"):
        write_jsonl(
            folder / f"{name}.jsonl",
            [{"id": id_, "question": asked, "answer": f"{name} {text}"} for id_, asked, text in rows],
        )
    run = prepare_pair(pair_options(ScriptedBackend(lambda _: "8 6\n")))
    assert [(item.request.item_id, item.request.order) for item in run.plan.requests] == [
        (id_, order) for id_ in ("q0", "q2", "q1", "q3") for order in BOTH_ORDERS
    ]
    assert [planned.item.id for planned in run.plan.planned] == ["q0", "q1", "q2", "q3"]
    shared = [item.n_tokens - item.n_new_tokens for item in run.plan.requests]
    assert shared == [0, 23, 23, 23, 14, 23, 23, 23]


def test_the_last_unit_of_a_prompt_is_always_new(folder: Path) -> None:
    for name in ("a", "b"):
        rows = [{"id": id_, "question": "Why?", "answer": f"{name} one"} for id_ in ("q1", "q2")]
        write_jsonl(folder / f"{name}.jsonl", rows)
    run = prepare_pair(pair_options(ScriptedBackend(lambda _: "8 6\n"), orders=Orders.AB))
    first, second = run.plan.requests
    assert first.request.path == second.request.path
    assert second.n_new_tokens == second.unit_tokens[-1] > 0
