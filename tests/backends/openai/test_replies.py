"""What a reply says: where its verdict stands, and the labels' probabilities there."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from judgecli.backends.openai import OpenAIBackend
from judgecli.backends.openai.distribution import first_verdict
from judgecli.types import (
    Completion,
    LabelsGrammar,
    ReadingRule,
    Request,
    ScoresGrammar,
    Seat,
    VerdictPlace,
    locate_last,
)
from tests.backends.openai.conftest import Serve
from tests.backends.openai.endpoints import (
    BEGUN,
    LABELS,
    Answer,
    chat_request,
    logprobs,
    refuses,
    says,
    text_request,
    until_refused,
    writes_on,
)

Open = Callable[..., OpenAIBackend]
DOUBLE = LabelsGrammar(labels={"[[A]]": Seat.FIRST, "[[B]]": Seat.SECOND})
SCORES = ScoresGrammar(low=1, high=10)
ONE_SCORE = ScoresGrammar(low=1, high=10, n=1, has_decimals=False, terminator='"')


def ask(backend: OpenAIBackend, request: Request) -> Completion:
    [completion] = backend.judge([request])
    return completion


@pytest.mark.parametrize(
    ("reply", "text", "label"),
    [
        ("A", "A", "A"),
        (" B\n", "B\n", "B"),
        ('"tie"', "tie", "tie"),
        ("**B**", "B", "B"),
        ("Tie.", "Tie", "tie"),
        ("A\n\nIt is better.", "A\n\nIt is better.", "A"),
        ('Between "A", "B" and "tie", I choose "B".', "B", "B"),
        ('between "A", "B" and "tie", I choose "B" because it is right.', 'B" because it is right.', "B"),
        ("A is better.", "A is better.", None),
        ('"A" and "B" are equally good', '"A" and "B" are equally good', None),
        ("A and B are equal", "A and B are equal", None),
        ("Answer: A", "Answer: A", None),
        ("A/B", "A/B", None),
        ("Between you and me, A", "Between you and me, A", None),
        ("", "", None),
    ],
)
def test_a_label_counts_where_it_stands_alone_or_ends_the_begun_sentence(
    reply: str, text: str, label: str | None
) -> None:
    found = first_verdict(reply, LABELS, begun=BEGUN)
    assert (found.text, found.label) == (text, label)
    if label is not None:
        assert reply[found.at :].casefold().startswith(label.casefold())


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        ("8 6", "8 6"),
        ('"7"', "7"),
        ("**8.5, 7**\nBoth", "8.5, 7\nBoth"),
        ("7/10", "7/10"),
        ("Score: 7", "Score: 7"),
    ],
)
def test_scores_count_where_they_stand_alone(reply: str, text: str) -> None:
    assert first_verdict(reply, SCORES).text == text


def test_a_labels_probability_is_the_sum_over_its_spellings_and_beginnings(
    serve: Serve, backend: Open
) -> None:
    place = {"A": 0.5, " A": 0.1, "B": 0.05, "t": 0.1, "Tie": 0.02, "The": 0.1, "a": 0.03, '"': 0.04}
    serve(says("A", logprobs(place)))
    distribution = ask(backend(), chat_request()).distribution
    assert distribution is not None
    assert distribution.p == pytest.approx({"A": 0.6, "B": 0.05, "tie": 0.12})
    assert distribution.p_unopened == pytest.approx(0.04)  # a quotation is opened, of nobody knows what
    assert distribution.mass == pytest.approx(0.81)
    assert (distribution.greedy, distribution.preferred) == ("A", pytest.approx(("A", 0.5)))


def test_the_place_is_behind_a_quotation_mark(serve: Serve, backend: Open) -> None:
    serve(says('"B"', logprobs({'"': 0.9, "A": 0.1}, {"B": 0.7, "A": 0.3}, {'"': 1.0})))
    completion = ask(backend(), chat_request())
    assert completion.text == "B"
    assert completion.distribution is not None
    assert completion.distribution.p == pytest.approx({"A": 0.3, "B": 0.7, "tie": 0})


def test_tokens_that_begin_several_labels_lead_to_the_next_place(serve: Serve, backend: Open) -> None:
    places = logprobs({"[[": 0.8, "[": 0.1, "I": 0.1}, {"B": 0.75, "A": 0.2, "C": 0.05}, {"]]": 1.0})
    serve(says("[[B]]", places))
    distribution = ask(backend(), chat_request(grammar=DOUBLE, begun="")).distribution
    assert distribution is not None
    assert distribution.p == pytest.approx({"[[A]]": 0.16, "[[B]]": 0.6})
    assert distribution.p_unopened == pytest.approx(0.1)
    assert distribution.greedy == "[[B]]"


def test_a_label_that_begins_another_is_told_by_what_follows(serve: Serve, backend: Open) -> None:
    numbers = LabelsGrammar(labels={"1": Seat.FIRST, "10": Seat.SECOND})
    serve(says("1\n", logprobs({"1": 0.9, "2": 0.1}, {"\n": 0.7, "0": 0.3})))
    distribution = ask(backend(), chat_request(grammar=numbers, begun="")).distribution
    assert distribution is not None
    assert distribution.p == pytest.approx({"1": 0.63, "10": 0.27})


@pytest.mark.parametrize(
    ("reply", "probabilities"),
    [
        ("The better one is A", logprobs({"The": 0.9, "A": 0.1})),
        ("A is better", logprobs({"A": 0.9, "B": 0.1}, {" is": 1.0}, {" better": 1.0})),
        ("A", None),
        ("A", {"content": None}),
        ("A", {"content": []}),
        ("A", {"content": [{"token": "B", "logprob": -0.1}]}),  # the tokens of another text
        ("A", {"content": ["A", 3, None]}),
        ("A", {"content": [{"token": "A", "logprob": None, "top_logprobs": None}]}),
        ("A", "yes"),
        ("A", {"tokens": ["A"], "token_logprobs": [None], "top_logprobs": [None]}),
    ],
)
def test_where_nothing_is_known_the_text_decides(
    serve: Serve, backend: Open, reply: str, probabilities: Any
) -> None:
    serve(says(reply, probabilities))
    completion = ask(backend(), chat_request())
    assert (completion.text, completion.distribution, completion.error) == (reply, None, None)


def test_scores_have_no_distribution_and_ask_for_none(serve: Serve, backend: Open) -> None:
    endpoint = serve(writes_on("8 6\nAssistant 1 is", logprobs({"8": 1.0})))
    completion = ask(backend(), text_request("…\n\n### Response:", grammar=SCORES))
    assert (completion.text, completion.distribution) == ("8 6\nAssistant 1 is", None)
    body = endpoint.seen[0].body
    assert (endpoint.seen[0].path, body["prompt"]) == ("/v1/completions", "…\n\n### Response:")
    assert not {"logprobs", "top_logprobs", "messages"} & body.keys()


def test_a_text_that_goes_on_from_a_prompt_stays_as_it_is(serve: Serve, backend: Open) -> None:
    told = {
        "tokens": ["\n", "B", "\n"],
        "token_logprobs": [-0.1, -0.7, 0],
        "top_logprobs": [None, {"A": -1.5}, None],
    }
    serve(writes_on("\nB\n### Reason", told))
    completion = ask(backend(), text_request())
    assert completion.text == "\nB\n### Reason"
    assert completion.distribution is None  # the tokens end before the text does
    serve(writes_on("\nB\n", told))
    distribution = ask(backend(), text_request()).distribution
    assert distribution is not None
    assert distribution.p == pytest.approx({"A": 0.2231, "B": 0.4966, "tie": 0}, abs=1e-4)


def test_a_verdict_that_comes_last_is_found_where_the_family_says(serve: Serve, backend: Open) -> None:
    rule = ReadingRule(reader="last_match", pattern=r"\[\[{verdict}\]\]")
    text = "Both \U0001f389 are fine; [[A]] would be wrong. My verdict: [[B]]"
    tokens = [
        {piece: 1.0}
        for piece in ("Both ", "\ufffd", "\ufffd", " are fine; [[A]] would be wrong.", " My verdict:")
    ]
    serve(says(text, logprobs(*tokens, {" [[": 1.0}, {"B": 0.6, "A": 0.3, "tie": 0.05}, {"]]": 1.0})))
    request = chat_request(
        place=VerdictPlace.LAST,
        n_reason_tokens=200,
        locate=partial(locate_last, rule=rule, grammar=LABELS),
        begun="",
    )
    completion = ask(backend(), request)
    assert completion.text == text
    assert completion.distribution is not None
    assert completion.distribution.p == pytest.approx({"A": 0.3, "B": 0.6, "tie": 0.05})


def test_a_last_verdict_may_share_its_token_with_what_stands_before(serve: Serve, backend: Open) -> None:
    rule = ReadingRule(reader="last_match", pattern="Answer: {verdict}")
    serve(
        says(
            "Fine.\nAnswer: B", logprobs({"Fine.": 1.0}, {"\nAnswer:": 1.0}, {" B": 0.6, " A": 0.3, "A": 0.1})
        )
    )
    request = chat_request(
        place=VerdictPlace.LAST,
        n_reason_tokens=200,
        locate=partial(locate_last, rule=rule, grammar=LABELS),
        begun="",
    )
    distribution = ask(backend(), request).distribution
    assert distribution is not None
    assert distribution.p == pytest.approx({"A": 0.3, "B": 0.6, "tie": 0})


def test_blanks_before_the_first_word_are_no_stop(serve: Serve, backend: Open) -> None:
    serve(says("\n\n7 8 9\nBecause"))
    request = chat_request(
        grammar=ScoresGrammar(low=1, high=10, n=3),
        place=VerdictPlace.IN_TEXT,
        n_reason_tokens=99,
        stop=("\n",),
    )
    completion = ask(backend(), request)
    assert (completion.text.strip(), completion.finish_reason) == ("7 8 9", "stop")


def test_a_chat_is_asked_for_the_verdict_after_its_reasons(serve: Serve, backend: Open) -> None:
    endpoint = serve(
        says("B is right.\n"), says('"B".', logprobs({'"': 1.0}, {"B": 0.8, "A": 0.2}, {'".': 1.0}))
    )
    conclusion = f"\n\n{BEGUN}"
    request = chat_request(place=VerdictPlace.LAST, n_reason_tokens=200, conclusion=conclusion, begun="")
    completion = ask(backend(), request)
    assert completion.text == f"B is right.{conclusion}B"
    assert completion.n_calls == 2
    assert (completion.n_prompt_tokens, completion.n_completion_tokens) == (80, 4)
    assert completion.distribution is not None
    assert completion.distribution.p["B"] == pytest.approx(0.8)
    roles = [message["role"] for message in endpoint.seen[1].body["messages"]]
    assert roles == ["system", "user", "assistant", "user"]
    assert endpoint.seen[1].last_message.endswith(BEGUN)
    assert [one.body["max_tokens"] for one in endpoint.seen] == [200, 32]


@pytest.mark.parametrize("reply", ["A. It is right", "A or B", "The answer is A", ""])
def test_a_reply_that_does_not_complete_the_sentence_is_no_verdict(
    serve: Serve, backend: Open, reply: str
) -> None:
    serve(says("Both are fine."), says(reply))
    request = chat_request(place=VerdictPlace.LAST, n_reason_tokens=200, conclusion=f"\n\n{BEGUN}", begun="")
    completion = ask(backend(), request)
    rule = ReadingRule(reader="last_match", pattern='i choose "{verdict}')
    assert completion.distribution is None
    assert reply in completion.text
    assert locate_last(completion.text, rule, LABELS) is None


def test_a_text_that_goes_on_may_close_the_quotation(serve: Serve, backend: Open) -> None:
    told = {"tokens": ["A", '" as'], "token_logprobs": [-0.1, -0.1], "top_logprobs": [{"A": -0.1}, {}]}
    serve(writes_on('A" as', told))
    completion = ask(backend(), text_request(BEGUN))
    assert completion.text == 'A" as'
    assert completion.distribution is not None


def test_a_text_goes_on_from_its_reasons_to_the_verdict(serve: Serve, backend: Open) -> None:
    endpoint = serve(writes_on("Both are fine.", finish_reason="stop"), writes_on("8 6\nAnd now"))
    request = text_request(
        "Q\n### Response:",
        grammar=SCORES,
        place=VerdictPlace.LAST,
        n_reason_tokens=64,
        conclusion="\n\nScores:\n",
    )
    completion = ask(backend(), request)
    assert endpoint.seen[1].body["prompt"] == "Q\n### Response:Both are fine.\n\nScores:\n"
    assert (completion.text, completion.finish_reason) == ("Both are fine.\n\nScores:\n8 6", "stop")


def test_a_failure_after_the_reasons_keeps_them(serve: Serve, backend: Open) -> None:
    serve(says("B is right."), refuses(400, "no more turns"))
    request = chat_request(place=VerdictPlace.LAST, n_reason_tokens=200, conclusion="\nI choose ", begun="")
    completion = ask(backend(), request)
    assert (completion.text, completion.n_calls, completion.finish_reason) == ("B is right.", 2, "error")
    serve(says("B is right."))
    done, _ = until_refused(backend(max_calls=1).judge([request, request]))
    assert [(one.n_calls, one.error) for one in done] == [(1, "the one call of --max-calls is made")]


def test_what_is_withheld_says_so(serve: Serve, backend: Open) -> None:
    serve(says(None, finish_reason="content_filter"), says(None, refusal="I cannot help with that."))
    judge = backend()
    assert ask(judge, chat_request()).finish_reason == "content_filter"
    assert ask(judge, chat_request()).text == "I cannot help with that."


def test_replies_hold_no_half_characters(serve: Serve, backend: Open) -> None:
    serve(Answer(body=says("x").body.replace(b'"x"', b'"\\ud83d A"')))
    assert ask(backend(), chat_request()).text == "\ufffd A"


def test_one_score_loses_its_quotation_marks(serve: Serve, backend: Open) -> None:
    serve(says('"7"'))
    request = chat_request(grammar=ONE_SCORE, begun='I choose the score "')
    assert ask(backend(), request).text == "7"
