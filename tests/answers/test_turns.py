"""Conversations: which turn is judged, and what stands before it."""

import pytest

from judgecli.answers import Fields, InputOptions, load_pairs, read_answers
from judgecli.errors import DataError, UsageError
from tests.answers.made_up import answers, load, load_files, said, write_jsonl

TWO = ("2+2?", "4", "And 3+3?", "6")


def chat(*texts, id="q1", **fields):  # noqa: A002
    return {"id": id, "messages": said(*texts), **fields}


def mt_bench(*turns, id=81, **fields):  # noqa: A002
    return {"question_id": id, "model_id": "m", "choices": [{"index": 0, "turns": list(turns)}], **fields}


def sharegpt(*texts, id="q1"):  # noqa: A002
    speakers = ("human", "gpt") * len(texts)
    turns = [{"from": who, "value": text} for who, text in zip(speakers, texts, strict=False)]
    return {"id": id, "conversations": turns}


def questions(folder, *turns, id=81, **fields):  # noqa: A002
    return write_jsonl(folder / "questions.jsonl", [{"question_id": id, "turns": list(turns), **fields}])


def shape(item):
    """Return an item turn by turn, the judged one last: what was asked, and the first model's answer."""
    outputs = (*item.responses[0].earlier_outputs, item.responses[0].output)
    return list(zip((*item.earlier_instructions, item.instruction), outputs, strict=True))


@pytest.mark.parametrize("row", [chat, sharegpt])
@pytest.mark.parametrize(
    ("turn", "n_turns"), [(None, 2), ("last", 2), ("first", 1), (1, 1), (2, 2), ("2", 2)]
)
def test_of_a_conversation_the_last_turn_is_judged_unless_another_is_asked_for(tmp_path, row, turn, n_turns):
    loaded = load_files(tmp_path, [row(*TWO)], turn=turn)
    (item,) = loaded.items
    assert shape(item) == [("2+2?", "4"), ("And 3+3?", "6")][:n_turns]
    assert item.n_turns == n_turns
    assert item.earlier_references == (None,) * (n_turns - 1)


def test_what_is_judged_and_how_many_have_turns_before_it_is_reported(tmp_path):
    rows = [chat(*TWO), chat("2+2?", "4", id="q2")]
    report = load_files(tmp_path, rows).report
    assert (report.turn, report.n_multi_turn) == ("last", 1)
    assert "1 answer of two or more turns; the last turn is judged (--turn judges another)" in report.notes[0]
    chosen = load_files(tmp_path, rows, turn="first").report
    assert (chosen.turn, chosen.n_multi_turn, chosen.notes) == ("first", 0, ())
    assert load_files(tmp_path, answers("q1")).report.turn is None


class TestMtBench:
    def test_the_first_turn_is_judged_and_the_way_to_the_second_is_said(self, tmp_path):
        path = questions(tmp_path, "2+2?", "And 3+3?")
        loaded = load_files(tmp_path, [mt_bench("4", "6")], questions=path)
        assert shape(loaded.items[0]) == [("2+2?", "4")]
        assert "the first turn is judged (--turn 2 judges the second)" in loaded.report.notes[0]
        assert loaded.report.turn == "first"

    @pytest.mark.parametrize("turn", [2, "last"])
    def test_the_second_turn_has_the_first_as_its_context(self, tmp_path, turn):
        path = questions(tmp_path, "2+2?", "And 3+3?")
        loaded = load(tmp_path, [mt_bench("4", "6")], [mt_bench("four", "six")], questions=path, turn=turn)
        (pair,) = loaded.pairs
        assert shape(pair) == [("2+2?", "4"), ("And 3+3?", "6")]
        assert (pair.response_b.earlier_outputs, pair.response_b.output) == (("four",), "six")
        assert (loaded.report.turn, loaded.report.n_multi_turn) == (str(turn), 1)

    @pytest.mark.parametrize("asked", ["2+2?", ["2+2?"], ["2+2?", "And 3+3?"]])
    def test_a_question_beside_the_answers_is_that_of_the_first_turn(self, tmp_path, asked):
        rows = [mt_bench("4", "6", prompt=asked)]
        assert shape(load_files(tmp_path, rows).items[0]) == [("2+2?", "4")]

    def test_questions_beside_the_answers_are_those_of_their_turns(self, tmp_path):
        rows = [mt_bench("4", "6", prompt=list(TWO[::2]))]
        assert shape(load_files(tmp_path, rows, turn=2).items[0]) == [("2+2?", "4"), ("And 3+3?", "6")]

    def test_a_question_beside_the_answers_is_not_that_of_the_second_turn(self, tmp_path):
        with pytest.raises(DataError, match="no question for 1 of 1 answer"):
            load_files(tmp_path, [mt_bench("4", "6", prompt="2+2?")], turn=2)

    def test_the_form_of_arena_hard_has_turns_too(self, tmp_path):
        path = questions(tmp_path, "2+2?", "And 3+3?")
        rows = [mt_bench({"content": "4"}, {"content": "6"})]
        assert shape(load_files(tmp_path, rows, questions=path, turn=2).items[0])[1] == ("And 3+3?", "6")

    def test_an_answer_without_the_turn_is_named_by_its_line(self, tmp_path):
        rows = [mt_bench("4", "6"), mt_bench("4", id=82)]
        with pytest.raises(
            DataError, match=r"a\.jsonl:2: the answer \(choices\[0\]\.turns\) has 1 turn, and turn 2"
        ):
            load_files(tmp_path, rows, turn=2)
        for turn in (None, "last"):
            with pytest.raises(DataError, match=r"a\.jsonl:1: .* has 0 turns, and turn 1"):
                load_files(tmp_path, [mt_bench()], turn=turn)

    def test_an_empty_turn_is_an_empty_answer(self, tmp_path):
        path = questions(tmp_path, "2+2?", "And 3+3?")
        loaded = load_files(tmp_path, [mt_bench("4", None)], questions=path, turn=2)
        assert loaded.report.empty == (("81",),)

    def test_a_question_without_the_turn_is_named(self, tmp_path):
        with pytest.raises(DataError, match="no question for 1 of 1 answer: 81 turn 2"):
            load_files(tmp_path, [mt_bench("4", "6")], questions=questions(tmp_path, "2+2?"), turn=2)

    def test_the_judged_question_alone_is_not_enough(self, tmp_path):
        rows = [mt_bench("4", "6", prompt="And 3+3?")]
        with pytest.raises(DataError, match=r"no question for 1 of 1 answer: 81; .*--questions"):
            load_files(tmp_path, rows, turn=2, fields=Fields(instruction="prompt"))

    def test_models_that_had_different_numbers_of_turns_are_refused(self, tmp_path):
        with pytest.raises(
            DataError, match=r"different numbers of turns under 1 id: 81 \(2 and 1\); .*--turn"
        ):
            load(tmp_path, [mt_bench("4", "6")], [mt_bench("4")], turn="last")

    @pytest.mark.parametrize("turns", ["x", None, {"a": 1}])
    def test_turns_that_are_no_list_are_refused(self, tmp_path, turns):
        row = {**mt_bench("4", id=82), "choices": [{"turns": turns}]}
        with pytest.raises(DataError, match=r"a\.jsonl:2: .* is not a list of turns"):
            load_files(tmp_path, [mt_bench("4"), row])


@pytest.mark.parametrize("turn", [0, -1, "0", "second", "", "1.0", "²", "9" * 9, True])
def test_what_is_no_turn_is_a_usage_error_before_a_file_is_opened(turn):
    with pytest.raises(UsageError, match="choose first, last or a turn's number"):
        load_pairs(InputOptions(baseline="nowhere.jsonl", candidate="nowhere.jsonl", turn=turn))


def test_single_answers_have_one_turn(tmp_path):
    assert load_files(tmp_path, answers("q1"), turn="last").items[0].n_turns == 1
    with pytest.raises(
        DataError, match=r"a\.jsonl:1: the answer \(answer\) has 1 turn, and turn 2 is to be judged"
    ):
        load_files(tmp_path, answers("q1"), turn=2)


class TestUserTurns:
    def test_earlier_answers_may_differ_and_each_model_keeps_its_own(self, tmp_path):
        (pair,) = load(tmp_path, [chat(*TWO)], [chat("2+2?", "5", "And 3+3?", "7")]).pairs
        assert [r.earlier_outputs for r in pair.responses] == [("4",), ("5",)]

    @pytest.mark.parametrize(("at", "turn"), [(0, 1), (2, 2)])
    def test_what_the_users_asked_must_not(self, tmp_path, at, turn):
        other = [*TWO]
        other[at] = "Something else?"
        with pytest.raises(
            DataError, match=rf"ask different things under 1 id: q1 turn {turn} \(lines 1 and 1\)"
        ):
            load(tmp_path, [chat(*TWO)], [chat(*other)])

    def test_turns_after_the_judged_one_do_not_matter(self, tmp_path):
        other = chat("2+2?", "5", "Something else?", "7")
        assert len(load(tmp_path, [chat(*TWO)], [other], turn=1).pairs) == 1

    def test_conversations_without_ids_are_joined_by_all_that_was_asked(self, tmp_path):
        rows = [chat(*TWO, id=None), chat("3+3?", "6", "And 3+3?", "6", id=None)]
        loaded = load(tmp_path, rows, rows[::-1])
        assert [pair.earlier_instructions for pair in loaded.pairs] == [("2+2?",), ("3+3?",)]

    def test_questions_beside_the_answers_must_be_the_same(self, tmp_path):
        path = questions(tmp_path, "2+2?", "And 3+3?", id="q1", category="maths")
        (item,) = load_files(tmp_path, [chat(*TWO)], questions=path).items
        assert (shape(item)[0], item.metadata["category"]) == (("2+2?", "4"), "maths")
        path = questions(tmp_path, "3+3?", "And 3+3?", id="q1")
        with pytest.raises(DataError, match="1 question differ from what the answer files say was asked: q1"):
            load_files(tmp_path, [chat(*TWO)], questions=path)


class TestMessages:
    def read(self, folder, messages, **options):
        row = {"id": "q1", "messages": messages}
        return read_answers(write_jsonl(folder / "a.jsonl", [row]), **options).responses[0]

    def test_a_system_message_belongs_to_the_first_instruction(self, tmp_path):
        found = self.read(tmp_path, said(*TWO, system="Be brief."))
        assert found.earlier_instructions == ("System: Be brief.\n\nUser: 2+2?",)
        assert found.instruction == "And 3+3?"

    def test_an_empty_system_message_is_none(self, tmp_path):
        assert self.read(tmp_path, said("2+2?", "4", system=" ")).instruction == "2+2?"

    def test_several_messages_of_one_side_are_one_text(self, tmp_path):
        messages = [*said("2+2?"), *said("Quick!"), *said("", "4")[1:], *said("", "I mean 4.")[1:]]
        found = self.read(tmp_path, messages)
        assert (found.instruction, found.output) == ("User: 2+2?\n\nUser: Quick!", "4\n\nI mean 4.")

    def test_a_greeting_before_the_first_question_belongs_to_it(self, tmp_path):
        found = self.read(tmp_path, [{"role": "assistant", "content": "Hello"}, *said("2+2?", "4")])
        assert (found.instruction, found.earlier_outputs) == ("Assistant: Hello\n\nUser: 2+2?", ())

    def test_other_roles_ask(self, tmp_path):
        critic = {"role": "critic", "content": "4"}
        found = self.read(tmp_path, [*said("2+2?", ""), critic, *said("", "It is 4.")[1:]])
        assert (found.earlier_instructions, found.instruction, found.output) == (("2+2?",), "4", "It is 4.")

    def test_messages_that_end_with_a_question_are_refused(self, tmp_path):
        with pytest.raises(
            DataError,
            match=r"a\.jsonl:1: the answer \(messages\) is a conversation that does not end with the assis",
        ):
            self.read(tmp_path, said(*TWO[:3]))
        assert self.read(tmp_path, said(*TWO[:3]), turn=1).output == "4"

    def test_a_row_that_is_no_conversation_among_those_that_are_is_refused(self, tmp_path):
        path = write_jsonl(tmp_path / "a.jsonl", [chat(*TWO), {"id": "q2", "messages": "4"}])
        with pytest.raises(DataError, match=r"a\.jsonl:2: the answer \(messages\) is not a list of messages"):
            read_answers(path)

    def test_texts_in_parts_are_joined_and_images_are_marked(self, tmp_path):
        image = {"type": "image_url", "image_url": {"url": "x.png"}}
        parts = [{"type": "text", "text": "What is "}, {"type": "text", "text": "this?"}, image]
        found = self.read(tmp_path, [{"role": "user", "content": parts}, *said("", "A cat")[1:]])
        assert found.instruction == "What is this?\n[image]"
        loaded = load_files(
            tmp_path, [{"id": "q1", "messages": [{"role": "user", "content": parts}, *said("", "x")[1:]]}]
        )
        assert loaded.report.with_image == ("q1",)
        assert loaded.items[0].flags == ("image-not-seen",)
        assert "1 of 1 answer come with an image, which the judge does not see" in loaded.report.notes

    def test_other_parts_are_refused(self, tmp_path):
        sound = [{"type": "input_audio", "input_audio": {}}]
        with pytest.raises(DataError, match=r"a\.jsonl:1: .* holds parts that are neither text nor images"):
            self.read(tmp_path, [{"role": "user", "content": sound}, *said("", "x")[1:]])

    def test_an_instruction_field_that_is_named_is_the_judged_turns(self, tmp_path):
        path = write_jsonl(tmp_path / "a.jsonl", [chat(*TWO, ask="3+3?")])
        (found,) = read_answers(path, fields=Fields(instruction="ask")).responses
        assert (found.earlier_instructions, found.instruction) == (("2+2?",), "3+3?")


class TestMessagesBesideAnAnswer:
    def test_their_turns_are_the_context(self, tmp_path):
        row = {"id": "q1", "messages": said(*TWO[:3]), "output": "6"}
        assert shape(load_files(tmp_path, [row]).items[0]) == [("2+2?", "4"), ("And 3+3?", "6")]

    def test_the_turns_of_a_question_are_not_the_answers_to_be_judged(self, tmp_path):
        row = {"id": "q1", "messages": said(*TWO[:3]), "output": "6"}
        assert load_files(tmp_path, [row], turn=2).items[0].responses[0].output == "6"
        with pytest.raises(
            DataError, match=r"a\.jsonl:1: the answer \(output\) is that of turn 2, and turn 1 is"
        ):
            load_files(tmp_path, [row], turn=1)

    def test_an_answer_in_another_field_takes_the_last_ones_place(self, tmp_path):
        for row in (chat(*TWO, other="7"), {**sharegpt(*TWO), "other": "7"}):
            (item,) = load_files(tmp_path, [row], fields=Fields(response="other")).items
            assert shape(item) == [("2+2?", "4"), ("And 3+3?", "7")]

    def test_a_field_within_sharegpt_can_be_named(self, tmp_path):
        fields = Fields(instruction="conversations[0].value", response="conversations[1].value")
        assert shape(load_files(tmp_path, [sharegpt(*TWO)], fields=fields).items[0]) == [("2+2?", "4")]

    def test_chosen_and_rejected_share_the_turns_of_their_prompt(self, tmp_path):
        row = {
            "id": "q1",
            "prompt": said(*TWO[:3]),
            "chosen": said("", "6")[1:],
            "rejected": said("", "7")[1:],
        }
        (pair,) = load(tmp_path, [row]).pairs
        assert pair.earlier_instructions == ("2+2?",)
        assert {r.output for r in pair.responses} == {"6", "7"}
        assert {r.earlier_outputs for r in pair.responses} == {("4",)}

    def test_a_prompt_that_the_answers_repeat_is_read_once(self, tmp_path):
        whole = {"chosen": said(*TWO), "rejected": said(*TWO[:3], "7")}
        for prompt in ({"prompt": said(*TWO[:3])}, {"prompt": TWO[0]}, {}):
            (pair,) = load(tmp_path, [{"id": "q1", **prompt, **whole}]).pairs
            assert (pair.earlier_instructions, pair.instruction) == (("2+2?",), "And 3+3?")

    def test_chosen_and_rejected_that_went_different_ways_are_refused(self, tmp_path):
        row = {"id": "q1", "chosen": said(*TWO), "rejected": said("2+2?", "5", "Sure?", "Yes")}
        with pytest.raises(DataError, match=r"a\.jsonl ask different things under 1 id: q1 turn 2"):
            load(tmp_path, [row])


class TestReferences:
    @pytest.mark.parametrize(
        "row",
        [
            mt_bench("four", "six"),
            {"question_id": 81, "turns": ["2+2?", "And 3+3?"], "reference": ["four", "six"]},
            {"question_id": 81, "reference": ["four", {"text": "six"}]},
            {"question_id": 81, "messages": said("2+2?", "four", "And 3+3?", "six")},
        ],
    )
    def test_each_turn_has_its_own(self, tmp_path, row):
        rows, path = [mt_bench("4", "6")], write_jsonl(tmp_path / "references.jsonl", [row])
        asked = questions(tmp_path, "2+2?", "And 3+3?")
        (first,) = load_files(tmp_path, rows, questions=asked, reference=path).items
        assert (first.reference, first.earlier_references) == ("four", ())
        (second,) = load_files(tmp_path, rows, questions=asked, reference=path, turn=2).items
        assert (second.reference, second.earlier_references) == ("six", ("four",))

    def test_single_answers_to_the_first_turn_take_its_reference(self, tmp_path):
        row = {"question_id": "q1", "turns": ["q1?", "And?"], "reference": ["four", "six"]}
        path = write_jsonl(tmp_path / "questions.jsonl", [row])
        loaded = load_files(tmp_path, answers("q1"), questions=path, reference=path)
        assert (loaded.items[0].reference, loaded.report.turn) == ("four", None)

    def test_a_single_one_is_that_of_the_judged_turn(self, tmp_path):
        path = write_jsonl(tmp_path / "references.jsonl", [{"id": "q1", "reference": "six"}])
        (item,) = load_files(tmp_path, [chat(*TWO)], reference=path).items
        assert (item.reference, item.earlier_references) == ("six", (None,))

    def test_those_beside_the_answers_may_be_a_list(self, tmp_path):
        (item,) = load_files(tmp_path, [chat(*TWO, reference=["four", "six"])]).items
        assert (item.reference, item.earlier_references) == ("six", ("four",))

    @pytest.mark.parametrize("missing", ["", None])
    def test_a_turn_without_one_has_none(self, tmp_path, missing):
        row = {"question_id": 81, "turns": ["2+2?", "And 3+3?"], "reference": ["four", missing]}
        path = write_jsonl(tmp_path / "questions.jsonl", [row])
        loaded = load_files(tmp_path, [mt_bench("4", "6")], questions=path, reference=path, turn=2)
        assert (loaded.items[0].reference, loaded.items[0].earlier_references) == (None, ("four",))
        assert loaded.report.n_with_reference == 0

    def test_they_can_be_dropped(self, tmp_path):
        loaded = load_files(tmp_path, [chat(*TWO, reference=["four", "six"])], no_reference=True)
        assert (loaded.items[0].reference, loaded.items[0].earlier_references) == (None, (None,))


def test_what_the_item_says_is_not_repeated_with_each_answer(tmp_path):
    (pair,) = load(tmp_path, [chat(*TWO)], [chat(*TWO)]).pairs
    assert [r.earlier_instructions + r.earlier_references for r in pair.responses] == [(), ()]


CALLS = [{"id": "1", "type": "function", "function": {"name": "weather", "arguments": "{}"}}]
ASKED = {"role": "user", "content": "How warm?"}
SAID = {"role": "assistant", "content": "20 degrees."}


def tool_use(kind, **fields):
    return {"type": kind, "id": "1", **fields}


CALLED = {
    "no content": [{"role": "assistant", "tool_calls": CALLS}, {"role": "tool", "content": "20C"}],
    "null": [{"role": "assistant", "content": None, "tool_calls": CALLS}, {"role": "tool", "content": "20C"}],
    "a function": [{"role": "assistant", "function_call": {}}, {"role": "function", "content": "20C"}],
    "two calls": [{"role": "assistant", "tool_calls": CALLS}, {"role": "tool", "content": "20C"}] * 2,
}


class TestTools:
    @pytest.mark.parametrize("kind", CALLED)
    def test_what_a_tool_says_is_neither_question_nor_answer_and_it_is_said(self, tmp_path, kind):
        path = write_jsonl(tmp_path / "a.jsonl", [{"id": "q1", "messages": [ASKED, *CALLED[kind], SAID]}])
        read = read_answers(path)
        (answer,) = read.responses
        assert (answer.instruction, answer.output) == ("How warm?", "20 degrees.")
        assert (answer.earlier_instructions, answer.earlier_outputs) == ((), ())
        assert read.notes == (
            f"{path}: 1 answer with calls of tools; what the tools said is not shown to the judge",
        )

    def test_calls_among_the_parts_of_a_message_are_named(self, tmp_path):
        call = [{"type": "text", "text": "Let me look."}, tool_use("tool_use", name="weather", input={})]
        result = {"role": "user", "content": [tool_use("tool_result", content="20C")]}
        row = {"id": "q1", "messages": [ASKED, {"role": "assistant", "content": call}, result, SAID]}
        (answer,) = read_answers(write_jsonl(tmp_path / "a.jsonl", [row])).responses
        assert (answer.instruction, answer.output) == (
            "How warm?",
            "Let me look.\n[tool call]\n\n20 degrees.",
        )

    def test_a_result_beside_a_text_of_the_user_is_named_and_asks(self, tmp_path):
        asked = [tool_use("tool_result", content="20C"), {"type": "text", "text": "So?"}]
        row = {"id": "q1", "messages": [ASKED, SAID, {"role": "user", "content": asked}, SAID]}
        (answer,) = read_answers(write_jsonl(tmp_path / "a.jsonl", [row])).responses
        assert (answer.earlier_instructions, answer.instruction) == (("How warm?",), "[tool result]\nSo?")

    def test_messages_that_end_with_a_tool_have_no_answer_yet(self, tmp_path):
        path = write_jsonl(tmp_path / "a.jsonl", [{"id": "q1", "messages": [ASKED, *CALLED["null"]]}])
        with pytest.raises(DataError, match="a conversation that does not end with the assistant"):
            read_answers(path)

    def test_messages_that_end_with_a_call_are_an_empty_answer(self, tmp_path):
        path = write_jsonl(tmp_path / "a.jsonl", [{"id": "q1", "messages": [ASKED, CALLED["no content"][0]]}])
        assert read_answers(path).format == "chat"
        assert [r.output for r in read_answers(path).responses] == [""]

    def test_calls_in_sharegpt_are_no_turns(self, tmp_path):
        turns = [("human", "How warm?"), ("function_call", "{}"), ("observation", "20C"), ("gpt", "20.")]
        row = {"id": "q1", "conversations": [{"from": who, "value": text} for who, text in turns]}
        (answer,) = read_answers(write_jsonl(tmp_path / "a.jsonl", [row])).responses
        assert (answer.earlier_outputs, answer.instruction, answer.output) == ((), "How warm?", "20.")

    def test_a_prompt_that_ends_with_a_tool_asks_what_was_asked_before_it(self, tmp_path):
        row = {"id": "q1", "prompt": [ASKED, *CALLED["null"]], "response": "20 degrees."}
        read = read_answers(write_jsonl(tmp_path / "a.jsonl", [row]))
        assert [(r.instruction, r.output) for r in read.responses] == [("How warm?", "20 degrees.")]
        assert "1 answer with calls of tools" in read.notes[0]


@pytest.mark.parametrize(
    "thought",
    [
        {"type": "thinking", "thinking": "Hm.", "signature": "x"},
        {"type": "redacted_thinking", "data": "x"},
        {"type": "reasoning", "text": "Hm."},
    ],
)
def test_thinking_among_the_parts_of_an_answer_is_left_out(tmp_path, thought):
    row = {"messages": [ASKED, {"role": "assistant", "content": [thought, {"type": "text", "text": " 20."}]}]}
    assert [r.output for r in read_answers(write_jsonl(tmp_path / "a.jsonl", [row])).responses] == [" 20."]


def test_a_refusal_is_what_a_message_says(tmp_path):
    row = {"messages": [ASKED, {"role": "assistant", "content": None, "refusal": "I cannot."}]}
    assert [r.output for r in read_answers(write_jsonl(tmp_path / "a.jsonl", [row])).responses] == [
        "I cannot."
    ]


class TestSystem:
    """A system message in a field of its own is kept as one among the messages is."""

    @pytest.mark.parametrize("row", [chat, sharegpt])
    def test_it_belongs_to_the_first_instruction(self, tmp_path, row):
        rows = [{**row(*TWO), "system": "Be brief."}]
        assert shape(load_files(tmp_path, rows).items[0]) == [
            ("System: Be brief.\n\nUser: 2+2?", "4"),
            ("And 3+3?", "6"),
        ]

    @pytest.mark.parametrize("nothing", [None, "", " ", [], [{"type": "x"}], {"a": 1}, ["x"]])
    def test_nothing_is_none(self, tmp_path, nothing):
        assert shape(load_files(tmp_path, [chat(*TWO[:2], system=nothing)]).items[0]) == [("2+2?", "4")]

    def test_it_may_be_a_list_of_parts(self, tmp_path):
        parts = [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}]
        (item,) = load_files(tmp_path, [chat(*TWO[:2], system=parts)]).items
        assert item.instruction == "System: Be brief.\n\nUser: 2+2?"

    def test_it_is_not_said_twice(self, tmp_path):
        row = {"id": "q1", "messages": said(*TWO[:2], system="Be brief."), "system": "Be brief."}
        assert load_files(tmp_path, [row]).items[0].instruction == "System: Be brief.\n\nUser: 2+2?"

    @pytest.mark.parametrize(
        "row",
        [
            {"question": "2+2?", "chosen": "4", "rejected": "5"},
            {"prompt": said("2+2?"), "chosen": said("", "4")[1:], "rejected": said("", "5")[1:]},
            {"prompt": said("2+2?"), "chosen": "4", "rejected": "5"},
            {"prompt": "2+2?", "chosen": said("2+2?", "4"), "rejected": said("2+2?", "5")},
            {"prompt": said("2+2?"), "chosen": said("2+2?", "4"), "rejected": said("2+2?", "5")},
            {"chosen": said("2+2?", "4"), "rejected": said("2+2?", "5")},
        ],
    )
    def test_of_preferences_it_is_what_both_were_told(self, tmp_path, row):
        (pair,) = load(tmp_path, [{**row, "system": "Be brief."}]).pairs
        assert pair.instruction == "System: Be brief.\n\nUser: 2+2?"
        assert {pair.response_a.output, pair.response_b.output} == {"4", "5"}


@pytest.mark.parametrize("kind", [["x"], {"x": 1}, None, 1])
def test_a_part_whose_type_is_no_text_is_read_by_its_text(tmp_path, kind):
    parts = [{"type": kind, "text": "A"}]
    row = {"id": "1", "messages": [*said("q"), {"role": "assistant", "content": parts}]}
    assert [r.output for r in read_answers(write_jsonl(tmp_path / "a.jsonl", [row])).responses] == ["A"]


def test_a_chat_row_without_messages_is_told_which_fields_it_has(tmp_path):
    path = write_jsonl(tmp_path / "a.jsonl", [chat(*TWO), {"id": "q2", "said": "4"}])
    with pytest.raises(DataError, match=r"a\.jsonl:2: no answer field 'messages'; fields there: id, said"):
        read_answers(path)
