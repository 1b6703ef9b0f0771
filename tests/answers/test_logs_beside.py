"""Logs of answers as files of questions and references: read as they are where they hold what is judged."""

import json

import pytest

from judgecli.answers import AnswersOptions, Fields, load_answers
from judgecli.errors import DataError
from tests.answers.logs import helm, inspect, lm_eval, openai_evals, promptfoo
from tests.answers.made_up import said, write_bytes, write_jsonl


def beside(folder, ids, **files):
    """Return question and reference of answers that say neither, with files beside them."""
    path = write_jsonl(folder / "answers.jsonl", [{"id": i, "answer": "x"} for i in ids])
    if "questions" not in files:
        asked = [{"id": i, "question": f"What is {i}?"} for i in ids]
        files["questions"] = write_jsonl(folder / "asked.jsonl", asked)
    items = load_answers(AnswersOptions(files=(path,), **files)).items
    return [(item.instruction, item.reference) for item in items]


class TestInspect:
    SAMPLES = (inspect.sample("1"), inspect.sample("HumanEval/2", target=["4", "four"]))

    def written(self, folder, kind):
        if kind == "eval":
            return write_bytes(folder / "log.eval", inspect.packed(*self.SAMPLES))
        return write_bytes(folder / "log.json", json.dumps(inspect.log(*self.SAMPLES), indent=1).encode())

    @pytest.mark.parametrize("kind", ["eval", "json"])
    def test_it_says_what_was_asked_and_what_is_right(self, tmp_path, kind):
        path = self.written(tmp_path, kind)
        assert beside(tmp_path, ["1", "HumanEval/2"], questions=path, reference=path) == [
            ("1+2?", "4"),
            ("HumanEval/2+2?", "4 or four"),
        ]

    def test_one_of_its_epochs_can_be_chosen(self, tmp_path):
        samples = [inspect.sample("1"), inspect.sample("1", epoch=2, target="5")]
        path = write_bytes(tmp_path / "log.eval", inspect.packed(*samples))
        assert beside(tmp_path, ["1"], reference=path) == [("What is 1?", "4")]
        assert beside(tmp_path, ["1"], reference=f"{path}#2") == [("What is 1?", "5")]
        with pytest.raises(DataError, match=r"#3: no epoch is called so; there are 1, 2"):
            beside(tmp_path, ["1"], reference=f"{path}#3")


def test_the_folder_of_a_helm_run_does_too(tmp_path):
    state = {"request_states": [helm.state("id1")]}
    (tmp_path / "run").mkdir()
    write_bytes(tmp_path / "run" / "scenario_state.json", json.dumps(state).encode())
    path = str(tmp_path / "run")
    ((asked, right),) = beside(tmp_path, ["id1"], questions=path, reference=path)
    assert (asked, right) == ("id1?", "4")


class TestPromptfoo:
    def test_answers_of_a_provider_that_is_chosen_are_references(self, tmp_path):
        path = promptfoo.write(tmp_path / "r.json", promptfoo.of("m1", "m2"))
        assert beside(tmp_path, ["0", "1"], questions=path, reference=f"{path}#m2") == [
            ("Answer: q0?", "m2 to q0"),
            ("Answer: q1?", "m2 to q1"),
        ]

    def test_none_is_guessed(self, tmp_path):
        path = promptfoo.write(tmp_path / "r.json", promptfoo.of("m1", "m2"))
        with pytest.raises(DataError, match=r"holds 2 sets of answers: m1, m2; choose one with .*json#m1"):
            beside(tmp_path, ["0", "1"], reference=path)

    def test_what_its_tests_expect_goes_before_answers(self, tmp_path):
        rows = [
            {**row, "vars": {**row["vars"], "expected": "right"}} for row in promptfoo.of("m1", "m2", n=1)
        ]
        path = promptfoo.write(tmp_path / "r.json", rows)
        assert beside(tmp_path, ["0"], reference=path) == [("What is 0?", "right")]


def test_of_lm_eval_samples_with_two_filters_each_document_is_read_once(tmp_path):
    rows = [*lm_eval.both_filters(0), *lm_eval.both_filters(1)]
    path = write_jsonl(tmp_path / "samples.jsonl", rows)
    assert beside(tmp_path, ["0", "1"], questions=path, reference=path) == [
        ("Q: 0+2?\nA:", "4"),
        ("Q: 1+2?\nA:", "4"),
    ]


def test_a_log_of_openai_evals_says_what_was_expected(tmp_path):
    rows = [
        openai_evals.SPEC,
        openai_evals.drawn("s.0"),
        openai_evals.event("s.0", "match", correct=True, expected=["4", "four"]),
    ]
    path = write_jsonl(tmp_path / "log.jsonl", rows)
    assert beside(tmp_path, ["s.0"], questions=path, reference=path) == [("s.0?", "4 or four")]


@pytest.mark.parametrize(
    ("ideal", "reference"), [("4", "4"), (["4"], "4"), (["4", "four"], "4 or four"), ([], None)]
)
def test_samples_of_openai_evals_have_several_right_answers(tmp_path, ideal, reference):
    rows = [{"input": said(f"{n}+2?"), "ideal": ideal} for n in range(2)]
    path = write_jsonl(tmp_path / "samples.jsonl", rows)
    answers = write_jsonl(tmp_path / "a.jsonl", [{"question": f"{n}+2?", "answer": "x"} for n in range(2)])
    items = load_answers(AnswersOptions(files=(answers,), reference=path)).items
    assert [item.reference for item in items] == [reference] * 2


def test_a_list_of_other_references_names_its_own_field(tmp_path):
    path = write_jsonl(tmp_path / "r.jsonl", [{"id": "q1", "target": ["4", "four"]}])
    with pytest.raises(DataError, match=r"is a list of 2 texts; name one, like target\[0\]"):
        beside(tmp_path, ["q1"], reference=path)


@pytest.mark.parametrize(
    ("row", "field"),
    [
        ({"target": [["4", "four"]]}, r"target\[0\]\[0\]"),
        ({"reference": {"text": ["4", "four"]}}, r"reference\.text\[0\]"),
        ({"turns": ["1?", "2?"], "reference": ["1", ["2", "two"]]}, r"reference\[1\]\[0\]"),
    ],
)
def test_a_list_in_another_value_names_its_own_place(tmp_path, row, field):
    path = write_jsonl(tmp_path / "r.jsonl", [{"id": "q1", **row}])
    with pytest.raises(DataError, match=rf"is a list of 2 texts; name one, like {field}"):
        beside(tmp_path, ["q1"], reference=path)


def test_right_answers_any_of_which_will_do_may_lie_in_another_object(tmp_path):
    path = write_jsonl(tmp_path / "r.jsonl", [{"id": "q1", "metadata": {"ideal": ["4", "four"]}}])
    fields = Fields(reference="metadata.ideal")
    assert beside(tmp_path, ["q1"], reference=path, fields=fields) == [("What is q1?", "4 or four")]


def test_of_a_plain_file_nothing_can_be_chosen(tmp_path):
    path = write_jsonl(tmp_path / "r.jsonl", [{"id": "q1", "reference": "4"}])
    with pytest.raises(
        DataError, match=r"r\.jsonl: .* one set of rows, so #m1 chooses nothing; leave it out"
    ):
        beside(tmp_path, ["q1"], reference=f"{path}#m1")
