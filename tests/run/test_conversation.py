"""A conversation about a judgment: its prompt made again from the run file, its judge, its context."""

import json
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from judgecli.answers import AnswersOptions
from judgecli.backends.scripted import ScriptedBackend
from judgecli.errors import DataError, ModelError, UsageError
from judgecli.prompts import family_names, load_family, render
from judgecli.run import (
    Conversation,
    ConversationOptions,
    Exchange,
    GradeOptions,
    execute,
    open_conversation,
    prepare_grade,
)
from judgecli.types import Completion, Order, Request
from tests.judging import answers, write_jsonl
from tests.run.made_up import RUN, Runs, words


def options(reply: Callable[[Request], str | Completion] | None = None, **more: Any) -> ConversationOptions:
    """Return what opens a conversation about q1 with a judge that repeats how a prompt ends."""
    backend = ScriptedBackend(reply or (lambda request: f"You asked: {request.prompt.text[-60:]}"))
    return ConversationOptions(**{"run_file": RUN, "item_id": "q1", "backend": backend, **more})


def rewrite(change: Callable[[dict[str, Any]], None], kind: str = "header") -> None:
    """Change the rows of a kind in the run file."""
    rows = [json.loads(line) for line in RUN.read_text(encoding="utf-8").splitlines()]
    for row in rows:
        if row["row"] == kind:
            change(row)
    RUN.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")


def ask(talk: Conversation, question: str) -> str:
    return "".join(talk.ask(question))


def test_the_judged_prompt_and_what_was_written_come_first(runs: Runs) -> None:
    record = runs(lambda request: "8 6\nA is longer.")
    prompts = []

    def reply(request: Request) -> str:
        prompts.append(request.prompt)
        return f" Because {len(prompts)}. \n"

    with open_conversation(options(reply)) as talk:
        assert list(talk.ask("Why?")) == ["Because", " 1."]
        assert ask(talk, "And?") == "Because 2."
    judgment = record.judgments["q1", Order.AB]
    assert talk.judged.judgment == judgment
    begun = prompts[0].text.partition("8 6\nA is longer.\n\n### Instruction:\nWhy?\n\n### Response:")
    assert begun[0].startswith("You are a helpful and precise assistant")
    assert (begun[0].endswith("### Response:"), begun[2]) == (True, "")
    assert prompts[1].text == f"{prompts[0].text}Because 1.\n\n### Instruction:\nAnd?\n\n### Response:"
    assert [(one.question, one.answer, one.finish_reason) for one in talk.exchanges] == [
        ("Why?", "Because 1.", "stop"),
        ("And?", "Because 2.", "stop"),
    ]


@pytest.mark.parametrize(("order", "first"), [(None, "a one"), ("AB", "a one"), ("ba", "b one")])
def test_the_order(runs: Runs, order: str | None, first: str) -> None:
    runs()
    with open_conversation(options(lambda request: request.prompt.text, order=order)) as talk:
        shown = ask(talk, "Why?").partition("[The Start of Assistant 1's Answer]\n")[2]
    assert shown.startswith(first)


def test_without_an_order_the_first_that_is_judged(runs: Runs) -> None:
    runs()
    RUN.write_text(
        "".join(
            line
            for line in RUN.read_text(encoding="utf-8").splitlines(keepends=True)
            if '"order": "AB"' not in line
        ),
        encoding="utf-8",
    )
    with open_conversation(options()) as talk:
        assert talk.judged.judgment.order == "BA"
    with (
        pytest.raises(DataError, match="q1 has no judgment in the order AB yet"),
        open_conversation(options(order="AB")),
    ):
        pass


@pytest.mark.parametrize(
    ("more", "kind", "sentence"),
    [
        ({"item_id": "q"}, DataError, "no item has the id 'q'; there are 3, did you mean"),
        ({"item_id": "zz"}, DataError, "no item has the id 'zz'; there are 3, the first is 'q1'"),
        ({"order": "C"}, UsageError, "--order C: q1 was asked about in AB, BA; name one of these"),
        ({"run_file": Path("a.jsonl")}, DataError, "a.jsonl: not a run file"),
        ({"n_ctx": 10}, ModelError, "and the context 10, so there is no room for a question"),
    ],
)
def test_what_cannot_be_talked_about(runs: Runs, more: dict[str, Any], kind: type, sentence: str) -> None:
    runs()
    with pytest.raises(kind, match=sentence), open_conversation(options(**more)):
        pass


def test_what_a_rule_decided_has_no_judge(runs: Runs, folder: Path) -> None:
    (folder / "b.jsonl").write_text((folder / "a.jsonl").read_text(encoding="utf-8"), encoding="utf-8")
    runs()
    with (
        pytest.raises(DataError, match=r"q1 was decided without the judge \(equal answers\)"),
        open_conversation(options()),
    ):
        pass


def test_a_failed_judgment_can_be_talked_about(runs: Runs) -> None:
    runs(lambda request: "I cannot.")
    prompts = []

    def reply(request: Request) -> str:
        prompts.append(request.prompt.text)
        return "Sorry."

    with open_conversation(options(reply)) as talk:
        assert ask(talk, "Why?") == "Sorry."
        assert talk.judged.judgment.failure == "unreadable"
    assert "I cannot.\n\n### Instruction:\nWhy?" in prompts[0]


def test_a_prompt_that_is_made_otherwise_now_is_refused(runs: Runs) -> None:
    runs()
    rewrite(lambda row: row.update(instruction="Another question?"), "item")
    sentence = r"the prompt of q1 in the order AB cannot be made again: judgecli .* makes it otherwise"
    with pytest.raises(DataError, match=sentence), open_conversation(options()):
        pass


def test_another_version_of_the_family_is_named(runs: Runs) -> None:
    runs()
    rewrite(lambda row: row.update(instruction="Another question?"), "item")
    rewrite(lambda row: row["prompt"].update(hash="0" * 64))
    sentence = "the prompt family 'judgelm' is another version"
    with pytest.raises(DataError, match=sentence), open_conversation(options()):
        pass


def test_another_family_is_named(runs: Runs) -> None:
    runs()
    sentence = "its prompt family is 'judgelm', not 'pandalm'"
    with pytest.raises(DataError, match=sentence), open_conversation(options(prompt="pandalm")):
        pass


def test_another_rubric_is_named(folder: Path) -> None:
    rubric = folder / "r.toml"
    rubric.write_text('criterion = "Is it right?"\n[scores]\n1 = "no"\n2 = "yes"\n', encoding="utf-8")
    write_jsonl(folder / "g.jsonl", answers("an answer"))
    grading = GradeOptions(
        input=AnswersOptions(files=("g.jsonl",)),
        prompt="chat",
        rubric="r.toml",
        backend=ScriptedBackend(lambda request: "2"),
        out=RUN,
    )
    execute(prepare_grade(grading))
    with open_conversation(options()) as talk:
        assert talk.judged.judgment.scores == {"A": 2.0}
    rubric.write_text(rubric.read_text(encoding="utf-8").replace("yes", "Yes"), encoding="utf-8")
    sentence = r"rubric was r\.toml \(SHA-256 \w{12}\) and is r\.toml \(SHA-256 \w{12}\)"
    with pytest.raises(DataError, match=sentence), open_conversation(options()):
        pass
    rubric.unlink()
    with pytest.raises(DataError, match="say where it is with --rubric FILE"), open_conversation(options()):
        pass


def test_the_prompts_of_a_ranking_are_cut_at_more_places(runs: Runs) -> None:
    record = runs()
    family = load_family("judgelm")
    prompt = render(family, record.items[0], Order.AB, for_ranking=True)
    assert prompt.hash != record.judgments["q1", Order.AB].prompt_hash
    rewrite(lambda row: row.update(prompt_hash=prompt.hash), "judgment")
    rewrite(lambda row: row["prompt_hashes"].update(AB=prompt.hash), "item")
    asked = []

    def reply(request: Request) -> str:
        asked.append(request.prompt)
        return "So."

    with open_conversation(options(reply, order="AB")) as talk:
        ask(talk, "Why?")
    assert asked[0].pieces[: len(prompt.pieces)] == prompt.pieces


def test_a_familys_version_that_leaves_the_prompt_as_it_was_is_no_obstacle(runs: Runs) -> None:
    runs()
    rewrite(lambda row: row["prompt"].update(hash="0" * 64))
    with open_conversation(options()) as talk:
        assert ask(talk, "Why?")


def test_a_family_of_the_users_own_is_found_beside_the_run(runs: Runs, folder: Path) -> None:
    runs()
    rewrite(lambda row: row["prompt"].update(family="mine"))
    assert "mine" not in family_names()
    sentence = r"asked with mine\.toml, which is neither here nor beside the run; .* --prompt FILE"
    with pytest.raises(DataError, match=sentence), open_conversation(options()):
        pass
    with open_conversation(options(prompt="judgelm")) as talk:
        assert ask(talk, "Why?")


def test_other_weights_are_refused_unless_asked_for(runs: Runs, folder: Path) -> None:
    runs()
    (folder / "judge.jsonl").write_text('{"reply": "Well."}', encoding="utf-8")
    rewrite(lambda row: row.update(model={"name": "scripted:judge.jsonl", "sha256": "ab" * 32}))
    with (
        pytest.raises(ModelError, match=f"SHA-256 is None, and scripted:judge.jsonl judged with {'ab' * 32}"),
        open_conversation(options(backend=None)),
    ):
        pass
    with open_conversation(options(backend=None, model="scripted:judge.jsonl")) as talk:
        assert (talk.is_other, ask(talk, "Why?")) == (True, "Well.")


def test_a_judge_that_is_gone_is_named_with_the_way_out(runs: Runs) -> None:
    runs()
    rewrite(lambda row: row["model"].update(name="gone.gguf"))
    sentence = r"gone\.gguf: no such file.* --model names the run's judge elsewhere"
    with pytest.raises(ModelError, match=sentence), open_conversation(options(backend=None)):
        pass


def test_an_answer_left_half_way_is_part_of_the_conversation(runs: Runs) -> None:
    runs()
    prompts = []

    def reply(request: Request) -> str:
        prompts.append(request.prompt.text)
        return "one two three"

    with open_conversation(options(reply)) as talk:
        with closing(talk.ask("Why?")) as pieces:
            assert next(pieces) == "one"
        [left] = talk.exchanges
        assert (left.answer, left.finish_reason) == ("one", "interrupted")
        ask(talk, "And?")
    assert prompts[1] == f"{prompts[0]}one\n\n### Instruction:\nAnd?\n\n### Response:"


def test_an_answer_that_never_began_is_none(runs: Runs) -> None:
    runs()

    def reply(request: Request) -> str:
        raise KeyboardInterrupt

    with open_conversation(options(reply)) as talk:
        with pytest.raises(KeyboardInterrupt):
            ask(talk, "Why?")
        assert talk.exchanges == []


def test_an_answer_is_cut_at_its_limit(runs: Runs) -> None:
    runs()
    with open_conversation(options(lambda request: words(9), max_tokens=3)) as talk:
        assert ask(talk, "Why?") == "w0 w1 w2"
        assert talk.exchanges[0].finish_reason == "length"
    with pytest.raises(UsageError, match="--max-tokens must be at least 1, not 0"):
        options(max_tokens=0)


def test_the_context_is_counted_and_its_end_is_said(runs: Runs) -> None:
    runs()
    with open_conversation(options()) as talk:
        n_begun = talk.n_tokens()
        assert talk.n_tokens("five words in a question") == n_begun + 5
        assert talk.n_ctx - n_begun >= 2048
    with open_conversation(options(lambda request: words(50), n_ctx=n_begun + 10)) as talk:
        assert ask(talk, "Why?") == words(9)  # what the context has room for
        assert talk.exchanges == [
            Exchange(question="Why?", answer=words(9), finish_reason="length", n_prompt_tokens=n_begun + 1)
        ]
        sentence = f"and the context {n_begun + 10}, so it does not fit; begin a new one"
        with pytest.raises(ModelError, match=sentence):
            talk.ask("And?")
        assert len(talk.exchanges) == 1


def test_an_empty_question_is_refused(runs: Runs) -> None:
    runs()
    with open_conversation(options()) as talk, pytest.raises(UsageError, match="the question is empty"):
        talk.ask("  ")


def test_cut_answers_are_shown_as_they_were_judged(runs: Runs, folder: Path) -> None:
    from judgecli.run import Overflow

    (folder / "a.jsonl").write_text(
        json.dumps({"id": "q1", "question": "Question 1?", "answer": words(400)}), encoding="utf-8"
    )
    runs(n_ctx=300, overflow=Overflow.TRUNCATE, allow_missing=True)
    with open_conversation(options(lambda request: request.prompt.text, max_tokens=10_000)) as talk:
        assert talk.judged.planned.shown_characters is not None
        assert "w399" not in ask(talk, "Why?")
