"""Pairing: by id, else by identical instruction, by line when asked; what does not match is refused."""

import pytest

from judgecli.answers import PairBy
from judgecli.errors import DataError, UsageError
from tests.answers.made_up import answers, load, write_jsonl


def by_instruction(*questions, **fields):
    return [{"instruction": q, "output": f"answer to {q}", **fields} for q in questions]


def paired(loaded):
    return [(pair.id, pair.response_a.output, pair.response_b.output) for pair in loaded.pairs]


def test_alpaca_eval_453_no_shared_ids(tmp_path):
    with pytest.raises(DataError, match="0 of 1 id shared; only in baseline: q1; only in candidate: q9"):
        load(tmp_path, answers("q1"), answers("q9"))


def test_alpaca_eval_453_nothing_shared_is_an_error_even_with_allow_missing(tmp_path):
    with pytest.raises(DataError, match="0 of 2 ids shared"):
        load(tmp_path, answers("q1", "q2"), answers("q9"), allow_missing=True)


def test_alpaca_eval_453_a_shorter_file_is_refused_not_zipped(tmp_path):
    with pytest.raises(
        DataError,
        match="2 of 3 ids shared; only in baseline: q3; only in candidate: none; --allow-missing",
    ):
        load(tmp_path, answers("q1", "q2", "q3"), answers("q1", "q2"))


def test_alpaca_eval_453_allow_missing_pairs_what_is_shared_and_names_the_rest(tmp_path):
    loaded = load(tmp_path, answers("q1", "q2", "q3"), answers("q4", "q2", "q1"), allow_missing=True)
    assert [pair.id for pair in loaded.pairs] == ["q1", "q2"]
    assert (loaded.report.only_in_a, loaded.report.only_in_b) == (("q3",), ("q4",))
    assert (loaded.report.n_a, loaded.report.n_b) == (3, 3)


def test_long_lists_are_cut_with_a_count(tmp_path):
    many = [f"q{n}" for n in range(40)]
    with pytest.raises(DataError, match=r"0 of 40 ids shared; only in baseline: q0, .*q4, ... \(35 more\);"):
        load(tmp_path, answers(*many), answers("x"))


def test_deepeval_2473_rows_are_paired_by_id_not_by_line(tmp_path):
    loaded = load(tmp_path, answers("q1", "q2", "q3", model="a"), answers("q3", "q1", "q2", model="b"))
    assert paired(loaded) == [(i, f"answer to {i}", f"answer to {i}") for i in ("q1", "q2", "q3")]
    assert {(p.response_a.model, p.response_b.model) for p in loaded.pairs} == {("a", "b")}
    assert loaded.report.paired_by is PairBy.ID


def test_number_and_text_ids_are_the_same_id(tmp_path):
    assert len(load(tmp_path, answers(1, 2), answers("1", "2")).pairs) == 2


@pytest.mark.parametrize("side", ["a", "b"])
def test_duplicate_ids_are_refused_with_both_lines(tmp_path, side):
    rows = {"a": answers("q1", "q2"), "b": answers("q1", "q2")}
    rows[side] = answers("q1", "q2", "q1")
    message = rf"{side}\.jsonl: 1 id more than once: q1 \(line 1 and line 3\)"
    with pytest.raises(DataError, match=message):
        load(tmp_path, rows["a"], rows["b"], allow_missing=True)


def test_two_questions_under_one_id_are_refused(tmp_path):
    other = answers("q1", "q2")
    other[1]["question"] = "something else?"
    with pytest.raises(DataError, match=r"b\.jsonl ask different things under 1 id: q2 \(lines 2 and 2\)"):
        load(tmp_path, answers("q1", "q2"), other)


def test_blanks_around_a_question_and_crlf_make_no_other_question(tmp_path):
    a, b = answers("q1"), answers("q1")
    a[0]["question"], b[0]["question"] = "one\r\ntwo", " one\ntwo\n"
    assert load(tmp_path, a, b).pairs[0].instruction == "one\r\ntwo"


def test_one_side_may_hold_the_questions(tmp_path):
    bare = [{"id": "q1", "answer": "x"}]
    assert load(tmp_path, bare, answers("q1")).pairs[0].instruction == "q1?"


def test_files_without_ids_are_paired_by_identical_instruction_and_it_is_said(tmp_path):
    loaded = load(tmp_path, by_instruction("one", "two"), by_instruction("two", " one\n"))
    assert [pair.instruction for pair in loaded.pairs] == ["one", "two"]
    assert loaded.report.paired_by is PairBy.INSTRUCTION
    assert "paired by identical instruction, for not both files have ids" in loaded.report.notes


def test_ids_made_of_instructions_do_not_move_with_the_rows(tmp_path):
    forward = load(tmp_path, by_instruction("one", "two"), by_instruction("one", "two"))
    backward = load(tmp_path, by_instruction("two", "one"), by_instruction("one", "two"))
    assert {p.instruction: p.id for p in forward.pairs} == {p.instruction: p.id for p in backward.pairs}


def test_an_instruction_includes_its_input(tmp_path):
    rows = by_instruction("add", input="1 and 1") + by_instruction("add", input="2 and 2")
    loaded = load(tmp_path, rows, rows[::-1])
    assert [pair.input for pair in loaded.pairs] == ["1 and 1", "2 and 2"]


def test_one_file_with_ids_and_one_without_are_paired_by_instruction(tmp_path):
    loaded = load(tmp_path, answers("q1", "q2"), by_instruction("q2?", "q1?"))
    assert [pair.id for pair in loaded.pairs] == ["q1", "q2"]
    assert loaded.report.paired_by is PairBy.INSTRUCTION


def test_alpaca_eval_453_an_instruction_that_occurs_twice_is_refused_not_multiplied(tmp_path):
    with pytest.raises(DataError, match=r"1 instruction more than once: one \(line 1 and line 2\)"):
        load(tmp_path, by_instruction("one", "one"), by_instruction("one"))


def test_alpaca_eval_453_instructions_that_do_not_match_are_refused(tmp_path):
    with pytest.raises(DataError, match="0 of 1 instruction shared; only in baseline: one; only in cand"):
        load(tmp_path, by_instruction("one"), by_instruction("two"))


def test_unrelated_ids_with_the_same_questions_get_a_hint(tmp_path):
    other = [{**row, "id": f"x{n}"} for n, row in enumerate(answers("q1", "q2"))]
    with pytest.raises(DataError, match="2 instructions occur in both: try --pair-by instruction"):
        load(tmp_path, answers("q1", "q2"), other)
    assert len(load(tmp_path, answers("q1", "q2"), other, pair_by=PairBy.INSTRUCTION).pairs) == 2


def test_rows_without_an_id_among_rows_with_one_are_named(tmp_path):
    rows = answers("q1", "q2")
    rows[1]["id"] = None
    with pytest.raises(DataError, match=r"a\.jsonl: 1 row without an id: line 2"):
        load(tmp_path, rows, answers("q1", "q2"))


def test_pairing_by_id_needs_ids(tmp_path):
    with pytest.raises(DataError, match="2 rows without an id"):
        load(tmp_path, by_instruction("one", "two"), by_instruction("one", "two"), pair_by=PairBy.ID)


def test_rows_with_neither_id_nor_instruction_are_refused(tmp_path):
    with pytest.raises(DataError, match=r"neither an id nor an instruction.*--pair-by line"):
        load(tmp_path, [{"answer": "x"}], [{"answer": "y"}])


def test_float_ids_are_no_ids(tmp_path):
    rows = answers(1.5, 2.5)
    assert load(tmp_path, rows, rows).report.paired_by is PairBy.INSTRUCTION


class TestByLine:
    def test_rows_are_paired_in_order_when_asked(self, tmp_path):
        rows = [{"question": "?", "answer": "x"}, {"question": "!", "answer": "y"}]
        loaded = load(tmp_path, rows, rows, pair_by=PairBy.LINE)
        assert paired(loaded) == [("1", "x", "x"), ("2", "y", "y")]
        assert loaded.report.paired_by is PairBy.LINE

    def test_questions_must_still_agree(self, tmp_path):
        with pytest.raises(DataError, match="different things under 2 ids"):
            load(tmp_path, answers("q1", "q2"), answers("q2", "q1"), pair_by=PairBy.LINE)

    def test_a_longer_file_is_refused_not_cut(self, tmp_path):
        rows = [{"question": "?", "answer": "x"}] * 3
        with pytest.raises(DataError, match="2 of 3 rows shared; only in baseline: row 3"):
            load(tmp_path, rows, rows[:2], pair_by=PairBy.LINE)
        kept = load(tmp_path, rows, rows[:2], pair_by=PairBy.LINE, allow_missing=True)
        assert (len(kept.pairs), kept.report.only_in_a) == (2, ("row 3",))


def test_metadata_of_both_sides_is_merged_and_a_wins(tmp_path):
    a, b = answers("q1", category="x"), answers("q1", category="y", group="g")
    assert load(tmp_path, a, b).pairs[0].metadata == {"category": "x", "group": "g"}


def test_a_missing_candidate_is_a_usage_error(tmp_path):
    with pytest.raises(UsageError, match=r"a\.jsonl: holds one answer a row; give the candidate's file"):
        load(tmp_path, answers("q1"))


@pytest.mark.parametrize("side", ["a", "b"])
def test_a_file_of_pairs_beside_another_file_is_a_usage_error(tmp_path, side):
    pairs = [{"id": "q1", "question": "?", "answer_a": "x", "answer_b": "y"}]
    rows = {"a": answers("q1"), "b": answers("q1"), side: pairs}
    with pytest.raises(UsageError, match=rf"{side}\.jsonl: holds both answers already"):
        load(tmp_path, rows["a"], rows["b"])


def test_a_misspelled_field_name_is_an_error(tmp_path):
    from judgecli.answers import Fields

    for role in ("instruction", "input", "reference", "model"):
        with pytest.raises(DataError, match=rf"no row .* has the field 'nope' \(--{role}-field\)"):
            load(
                tmp_path,
                answers("q1"),
                answers("q1"),
                fields=Fields(**{role: "nope"}),
                questions=write_jsonl(tmp_path / "q.jsonl", [{"id": "q1", "question": "q1?"}]),
            )
