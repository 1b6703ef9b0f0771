"""A run goes on in its file: what was judged stays, what failed in passing is asked again."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from judgecli.backends.scripted import ScriptedBackend
from judgecli.errors import ModelError, OutputError
from judgecli.run import Progress, execute, load_run, prepare_pair
from judgecli.types import Completion, Failure, Request, Winner
from tests.judging import last_rows, read_rows, two_files
from tests.run.made_up import RUN, Reply, Runs, both, by_seat, pair_options


def failing(ids: Iterable[str], **how: Any) -> Reply:
    def reply(request: Request) -> str | Completion:
        return Completion(request=request, **how) if request.item_id in ids else by_seat(request)

    return reply


def test_a_whole_run_is_not_asked_again(runs: Runs) -> None:
    first = runs()
    content = RUN.read_bytes()
    assert runs() == first
    assert runs.asked == []
    assert RUN.read_bytes() == content


def test_a_whole_run_needs_no_judge(runs: Runs) -> None:
    runs()
    run = replace(runs.prepare(), load=lambda: pytest.fail("the judge was loaded"))
    execute(run)


def test_what_is_missing_is_asked(runs: Runs) -> None:
    runs()
    whole = last_rows(RUN)
    lines = RUN.read_bytes().splitlines(keepends=True)
    RUN.write_bytes(b"".join(lines[:-3]))
    runs()
    assert last_rows(RUN) == whole
    assert runs.asked == [("q2", "BA"), ("q3", "AB"), ("q3", "BA")]


def test_a_torn_row_is_dropped_and_asked_again(runs: Runs) -> None:
    runs()
    whole = last_rows(RUN)
    RUN.write_bytes(RUN.read_bytes()[:-9])
    run = runs.prepare()
    assert run.existing is not None
    assert run.existing.torn_at is not None
    execute(run)
    assert runs.asked == [("q3", "BA")]
    assert last_rows(RUN) == whole
    assert load_run(RUN).notes == ()
    assert len(read_rows(RUN, "judgment")) == 6


@pytest.mark.parametrize("n_bytes", [0, 1, 15, 60])
def test_a_file_torn_within_its_header_is_begun_anew(runs: Runs, n_bytes: int) -> None:
    whole = runs()
    RUN.write_bytes(RUN.read_bytes()[:n_bytes])
    record = runs()
    assert (record.items, record.verdicts, record.notes) == (whole.items, whole.verdicts, ())


def test_a_file_torn_among_its_pairs_is_planned_again(runs: Runs) -> None:
    whole = runs()
    lines = RUN.read_bytes().splitlines(keepends=True)
    RUN.write_bytes(b"".join(lines[:2]) + lines[2][:40])
    assert runs().verdicts == whole.verdicts
    assert runs.asked == both("q1", "q2", "q3")


def test_an_engine_failure_is_asked_again_without_being_told(runs: Runs) -> None:
    broken = runs(failing(["q2"], error="logits are NaN"))
    assert broken.verdicts[1].failure is Failure.ENGINE
    assert runs().verdicts[1].winner == Winner.A
    assert runs.asked == both("q2")


def test_other_failures_are_asked_again_with_retry_only(runs: Runs) -> None:
    runs(failing(["q2"], text="I cannot rate these."))
    assert runs().verdicts[1].failure is Failure.UNREADABLE
    assert runs.asked == []
    assert runs(retry=True).verdicts[1].winner == Winner.A
    assert runs.asked == both("q2")


def test_retry_keeps_a_failure_that_comes_again(runs: Runs) -> None:
    unreadable = failing(["q2"], text="I cannot rate these.")
    runs(unreadable)
    assert runs(unreadable, retry=True).verdicts[1].failure is Failure.UNREADABLE
    assert len(read_rows(RUN, "judgment")) == 8
    assert len(last_rows(RUN)) == 6


def test_a_changed_answer_is_asked_again_and_the_old_judgments_are_counted(runs: Runs, folder: Path) -> None:
    runs()
    two_files(folder, ["a one", "a TWO", "a three"], ["b one", "b two", "b three"])
    run = runs.prepare()
    assert run.n_stale == 2
    execute(run)
    assert runs.asked == both("q2")
    record = load_run(RUN)
    assert record.notes == ("2 judgments of prompts that are not in this input are ignored",)
    assert len(record.judgments) == 6


def test_answers_that_come_back_are_not_asked_again(runs: Runs, folder: Path) -> None:
    whole = runs()
    runs(limit=1)
    assert runs.asked == []
    assert len(load_run(RUN).items) == 1
    record = runs()
    assert runs.asked == []
    assert (record.verdicts, record.notes) == (whole.verdicts, ())


def test_more_pairs_of_the_same_files_add_to_the_run(runs: Runs) -> None:
    runs(limit=2)
    assert len(runs().verdicts) == 3
    assert runs.asked == both("q3")
    assert load_run(RUN).notes == ()


def test_rows_in_another_order_are_the_same_prompts(runs: Runs, folder: Path) -> None:
    whole = runs()
    for name in ("a.jsonl", "b.jsonl"):
        lines = (folder / name).read_text(encoding="utf-8").splitlines(keepends=True)
        (folder / name).write_text("".join(reversed(lines)), encoding="utf-8")
    record = runs()
    assert runs.asked == []
    assert record.verdicts == whole.verdicts[::-1]


def test_what_the_header_says_of_the_input_is_that_of_the_last_run(runs: Runs, folder: Path) -> None:
    runs()
    with (folder / "b.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"id": "q4", "question": "?", "answer": "x"}\n')
    record = runs(allow_missing=True)
    assert runs.asked == []
    assert record.header["input"]["only_in_b"] == ["q4"]


def test_a_judge_that_breaks_in_the_middle_keeps_what_was_judged(runs: Runs) -> None:
    def breaks(request: Request) -> str:
        if request.item_id == "q2":
            raise KeyboardInterrupt
        return by_seat(request)

    with pytest.raises(KeyboardInterrupt):
        runs(breaks)
    record = load_run(RUN)
    assert [(one.winner, one.failure) for one in record.verdicts] == [
        (Winner.A, None),
        (None, None),
        (None, None),
    ]
    runs()
    assert runs.asked == both("q2", "q3")


def test_a_judge_that_stops_early_is_an_error(runs: Runs) -> None:
    class Lazy(ScriptedBackend):
        def judge(self, requests: Sequence[Request]) -> Any:
            return islice(super().judge(requests), 2)

    with pytest.raises(ModelError, match="the judge answered 2 of 6 prompts and stopped"):
        execute(prepare_pair(pair_options(Lazy(by_seat))))
    runs()
    assert runs.asked == both("q2", "q3")


def test_a_second_run_on_the_same_file_is_refused(runs: Runs) -> None:
    first, second = runs.prepare(), runs.prepare()
    rows = []

    def interrupted_by_the_second(progress: Progress) -> None:
        rows.append(progress)
        if len(rows) == 2:
            with pytest.raises(OutputError, match="another run is writing it"):
                execute(second)

    execute(first, interrupted_by_the_second)
    record = load_run(RUN)
    assert len(record.judgments) == 6
    assert {verdict.winner for verdict in record.verdicts} == {Winner.A}
    with pytest.raises(
        OutputError, match="another run has written it meanwhile"
    ):  # it was read before the first one wrote
        execute(second)


def test_progress_counts_what_this_call_has_to_do(runs: Runs) -> None:
    runs(limit=1)
    seen: list[Progress] = []
    run = runs.prepare()
    assert run.n_kept == 2
    execute(run, seen.append)
    assert [(one.n_done, one.n_total) for one in seen] == [(n, 4) for n in range(1, 5)]
    assert seen[-1].n_tokens_done == seen[-1].n_tokens_total > 0
    assert seen[0].judgment.item_id == "q2"


def test_the_new_tokens_of_what_is_left_are_counted_anew(runs: Runs) -> None:
    whole = runs.prepare()
    runs(limit=1)
    left = runs.prepare().open
    assert [item.request for item in left] == [item.request for item in whole.open[2:]]
    assert left[0].n_new_tokens == left[0].n_tokens > whole.open[2].n_new_tokens
    assert [item.n_new_tokens for item in left[1:]] == [item.n_new_tokens for item in whole.open[3:]]


def test_completions_may_come_in_any_order(runs: Runs) -> None:
    class Backwards(ScriptedBackend):
        def judge(self, requests: Sequence[Request]) -> Any:
            return reversed(list(super().judge(requests)))

    execute(prepare_pair(pair_options(Backwards(by_seat), out=Path("other.jsonl"))))
    runs()
    assert last_rows(Path("other.jsonl")) == last_rows(RUN)
