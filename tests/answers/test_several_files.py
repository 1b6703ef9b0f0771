"""One answer file, and three or more: joined like two."""

import json

import pytest

from judgecli.answers import AnswersOptions, Fields, PairBy, load_answers, load_many
from judgecli.errors import DataError, UsageError
from tests.answers.made_up import answers, load, load_files, write_bytes, write_jsonl

PAIR = [{"id": "q1", "question": "?", "answer_a": "x", "answer_b": "y"}]


def outputs(loaded):
    return [(item.id, *(response.output for response in item.responses)) for item in loaded.items]


class TestOneFile:
    def test_each_row_is_an_item_with_one_answer(self, tmp_path):
        loaded = load_files(tmp_path, answers("q1", "q2", model="m", category="maths"))
        assert outputs(loaded) == [("q1", "answer to q1"), ("q2", "answer to q2")]
        assert (loaded.items[0].instruction, loaded.items[0].metadata) == ("q1?", {"category": "maths"})
        report = loaded.report
        assert (report.models, report.formats, report.n_rows) == (("m",), ("plain (jsonl)",), (2,))
        assert (report.missing, report.empty, report.truncated) == (((),),) * 3
        assert report.notes == ()

    def test_questions_references_limits_and_fields_are_those_of_pairs(self, tmp_path):
        rows = [{"id": f"q{n}", "reply": "x"} for n in range(9)]
        asked = [{"id": f"q{n}", "question": f"{n}?", "expected": f"r{n}"} for n in range(9)]
        path = write_jsonl(tmp_path / "q.jsonl", asked)
        options = {
            "questions": path,
            "reference": path,
            "fields": Fields(response="reply"),
            "limit": 4,
            "sample": True,
        }
        loaded = load_files(tmp_path, rows, **options)
        assert [(i.instruction, i.reference) for i in loaded.items] == [
            (f"{i.id[1:]}?", f"r{i.id[1:]}") for i in loaded.items
        ]
        assert loaded.report.n_with_reference == 4
        assert "4 of 9 answers (drawn with seed 0)" in loaded.report.notes
        pairs = load(tmp_path, rows, rows, **options).pairs
        assert [pair.id for pair in pairs] == [item.id for item in loaded.items]

    def test_duplicates_are_refused(self, tmp_path):
        with pytest.raises(DataError, match=r"1 id more than once: q1 \(line 1 and line 2\)"):
            load_files(tmp_path, answers("q1", "q1"))

    def test_rows_without_ids_are_told_by_their_instruction(self, tmp_path):
        rows = [{"question": f"{n}?", "answer": "x"} for n in range(3)]
        forward, backward = load_files(tmp_path, rows), load_files(tmp_path, rows[::-1])
        assert [i.id for i in forward.items] == [i.id for i in backward.items][::-1]
        assert forward.report.notes == ()
        with pytest.raises(
            DataError, match=r"neither an id nor an instruction to tell it by.*--instruction-field"
        ):
            load_files(tmp_path, [{"answer": "x"}])

    def test_a_missing_question_or_reference_is_counted_in_answers(self, tmp_path):
        with pytest.raises(DataError, match=r"no question for 1 of 1 answer: q1; .*--questions"):
            load_files(tmp_path, [{"id": "q1", "answer": "x"}])
        rows = [*answers("q1", reference="r"), *answers("q2")]
        with pytest.raises(DataError, match="1 of 2 answers have no reference while others have one: q2"):
            load_files(tmp_path, rows)

    def test_a_file_of_pairs_is_refused_or_one_of_its_answers_chosen(self, tmp_path):
        with pytest.raises(
            UsageError, match=r"a\.jsonl: holds two answers a row \(plain-pairs\); .*--response-field"
        ):
            load_files(tmp_path, PAIR)
        chosen = load_files(tmp_path, PAIR, fields=Fields(response="answer_b"))
        assert outputs(chosen) == [("q1", "y")]

    @pytest.mark.parametrize("files", [(), ("a", "b")])
    def test_it_is_one_file(self, files):
        with pytest.raises(UsageError, match=f"one answer file is graded, not {len(files)}"):
            load_answers(AnswersOptions(files=files))


class TestSeveralFiles:
    def test_items_have_an_answer_of_each_file_in_their_order(self, tmp_path):
        files = [
            [{"id": i, "question": f"{i}?", "answer": f"{letter} {i}", "model": letter} for i in ids]
            for letter, ids in (("x", ("q1", "q2")), ("y", ("q2", "q1")), ("z", ("q1", "q2")))
        ]
        loaded = load_files(tmp_path, *files)
        assert outputs(loaded) == [("q1", "x q1", "y q1", "z q1"), ("q2", "x q2", "y q2", "z q2")]
        assert loaded.report.models == ("x", "y", "z")
        assert loaded.report.paired_by is PairBy.ID
        assert loaded.report.n_rows == (2, 2, 2)

    def test_what_a_file_lacks_is_named_and_refused(self, tmp_path):
        files = (answers("q1", "q2", "q3"), answers("q1", "q2"), answers("q1", "q3", "q4"))
        with pytest.raises(
            DataError,
            match=r"1 of 3 ids shared; missing in .*a\.jsonl: q4; missing in .*b\.jsonl: q3, q4; "
            r"missing in .*c\.jsonl: q2; --allow-missing",
        ):
            load_files(tmp_path, *files)
        loaded = load_files(tmp_path, *files, allow_missing=True)
        assert [item.id for item in loaded.items] == ["q1"]
        assert loaded.report.missing == (("q4",), ("q3", "q4"), ("q2",))

    def test_nothing_shared_is_always_an_error(self, tmp_path):
        with pytest.raises(DataError, match="0 of 1 id shared; missing in "):
            load_files(tmp_path, answers("q1"), answers("q1"), answers("q2"), allow_missing=True)

    def test_unrelated_ids_with_the_same_questions_get_a_hint(self, tmp_path):
        other = [{**row, "id": f"x{row['id']}"} for row in answers("q1")]
        with pytest.raises(DataError, match="1 instruction occur in all files: try --pair-by instruction"):
            load_files(tmp_path, answers("q1"), answers("q1"), other)

    @pytest.mark.parametrize("pair_by", [PairBy.INSTRUCTION, PairBy.LINE])
    def test_they_are_joined_by_instruction_and_by_line_too(self, tmp_path, pair_by):
        rows = [{"question": "?", "answer": "x"}, {"question": "!", "answer": "y"}]
        loaded = load_files(tmp_path, rows, rows, rows, pair_by=pair_by)
        assert [responses for _, *responses in outputs(loaded)] == [["x"] * 3, ["y"] * 3]

    def test_without_ids_the_joining_is_said(self, tmp_path):
        rows = [{"question": "?", "answer": "x"}]
        notes = load_files(
            tmp_path, answers("q1"), [{"question": "q1?", "answer": "x"}], answers("q1")
        ).report.notes
        assert "paired by identical instruction, for not all files have ids" in notes
        assert rows

    def test_a_third_file_that_asks_something_else_is_refused(self, tmp_path):
        other = answers("q1", "q2")
        other[1]["question"] = "something else?"
        with pytest.raises(DataError, match=r"ask different things under 1 id: q2 \(lines 2 and 2\)"):
            load_files(tmp_path, answers("q1", "q2"), answers("q1", "q2"), other)

    def test_references_that_differ_are_refused(self, tmp_path):
        files = [answers("q1", reference=reference) for reference in ("r", "r", "s")]
        with pytest.raises(DataError, match="the answer files hold different references for 1 id: q1"):
            load_files(tmp_path, *files)

    def test_empty_and_cut_answers_are_counted_for_each_model(self, tmp_path):
        files = [
            answers("q1"),
            answers("q1", finish_reason="length"),
            [{"id": "q1", "question": "q1?", "answer": ""}],
        ]
        report = load_files(tmp_path, *files).report
        assert (report.empty, report.truncated) == (((), (), ("q1",)), ((), ("q1",), ()))

    def test_a_file_of_pairs_among_them_is_refused(self, tmp_path):
        with pytest.raises(UsageError, match=r"c\.jsonl: holds two answers a row"):
            load_files(tmp_path, answers("q1"), answers("q1"), PAIR)

    @pytest.mark.parametrize("n", [0, 1, 20])
    def test_there_are_2_to_19(self, n):
        with pytest.raises(UsageError, match=f"2 to 19 answer files are compared, not {n}"):
            load_many(AnswersOptions(files=("a",) * n))

    def test_19_are_read(self, tmp_path):
        path = write_jsonl(tmp_path / "a.jsonl", answers("q1"))
        loaded = load_many(AnswersOptions(files=(path,) * 19))
        assert len(loaded.items[0].responses) == len(set(loaded.report.models)) == 19


class TestNames:
    def names(self, folder, **models):
        rows = {name: answers("q1", **({"model": model} if model else {})) for name, model in models.items()}
        paths = []
        for name, its_rows in rows.items():
            path = folder / f"{name.replace('__', '/')}.jsonl"
            path.parent.mkdir(exist_ok=True)
            paths.append(write_jsonl(path, its_rows))
        return load_many(AnswersOptions(files=tuple(paths))).report.models

    def test_only_models_of_one_name_are_told_apart(self, tmp_path):
        assert self.names(tmp_path, old="m", new="m", other="n") == ("m (old)", "m (new)", "n")

    def test_files_of_one_name_are_told_apart_by_folder(self, tmp_path):
        assert self.names(tmp_path, x__out="m", y__out="m", out="n") == ("m (x/out)", "m (y/out)", "n")

    def test_a_file_called_like_another_ones_model(self, tmp_path):
        assert self.names(tmp_path, m=None, b="m", c="n") == ("m", "m (b)", "n")

    def test_names_are_unique_whatever_the_models_are_called(self, tmp_path):
        names = self.names(tmp_path, a="m", b="m", c="m (a)")
        assert len(set(names)) == 3


class TestFieldsOfDifferentNames:
    def test_each_file_is_read_by_the_name_that_it_has(self, tmp_path):
        a, b = [{"key": "q1", "ask": "?", "old": "x"}], [{"nr": "q1", "ask": "?", "new": "y"}]
        fields = Fields(id=("key", "nr"), instruction="ask", response=("old", "new"))
        (pair,) = load(tmp_path, a, b, fields=fields).pairs
        assert (pair.id, pair.response_a.output, pair.response_b.output) == ("q1", "x", "y")

    def test_a_file_that_has_none_of_them_is_an_error(self, tmp_path):
        with pytest.raises(
            DataError, match=r"b\.jsonl:1: no answer field 'old' or 'new'; fields there: id, question"
        ):
            load(
                tmp_path,
                [{"id": 1, "question": "?", "old": "x"}],
                answers(1),
                fields=Fields(response=("old", "new")),
            )

    def test_a_field_that_only_one_file_needs_may_lack_in_the_other(self, tmp_path):
        rows = answers("q1", truth="r")
        (pair,) = load(tmp_path, rows, answers("q1"), fields=Fields(reference=("truth", "nope"))).pairs
        assert pair.reference == "r"

    def test_ids_of_differently_named_fields_are_said(self, tmp_path):
        notes = load(tmp_path, answers("q1"), [{"question_id": "q1", "answer": "x"}]).report.notes
        (note,) = notes
        assert "paired by ids of fields that are called differently: id of " in note
        assert "question_id of " in note


def test_a_file_may_be_one_object_of_answers_by_id(tmp_path):
    by_id = {"v1_0": "x = -1", "v1_1": None}
    for content in (json.dumps(by_id), json.dumps(by_id, indent=1)):
        path = write_bytes(tmp_path / "a.json", content.encode())
        questions = write_jsonl(tmp_path / "q.jsonl", [{"id": i, "question": "?"} for i in by_id])
        loaded = load_answers(AnswersOptions(files=(path,), questions=questions))
        assert outputs(loaded) == [("v1_0", "x = -1"), ("v1_1", "")]
        assert loaded.report.formats == ("plain (object)",)


@pytest.mark.parametrize(
    "row",
    [
        {"id": "q1", "reply": "x"},
        {"ask": "?", "reply": "x"},
        {"answer1": "x", "question1": "?", "n": 3},
        {"question": "?", "reply1": "x"},
    ],
)
def test_a_lone_row_with_unknown_fields_is_no_object_of_answers(tmp_path, row):
    with pytest.raises(DataError, match=r"a\.jsonl:1: no answer field; fields there: "):
        load_files(tmp_path, [row])


def test_a_lone_row_with_a_field_that_is_named_is_a_row(tmp_path):
    row = {"key1": "q1", "ask1": "?", "out1": "x"}
    loaded = load_files(tmp_path, [row], fields=Fields(id="key1", instruction="ask1", response="out1"))
    assert outputs(loaded) == [("q1", "x")]


def test_an_object_of_rows_by_id_is_read_as_those_rows(tmp_path):
    by_id = {"q1": {"question": "?", "answer": "x"}, "q2": {"question": "!", "answer": "y"}}
    path = write_bytes(tmp_path / "a.json", json.dumps(by_id, indent=1).encode())
    assert outputs(load_answers(AnswersOptions(files=(path,)))) == [("q1", "x"), ("q2", "y")]
