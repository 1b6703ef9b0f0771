"""The distribution that is read is what the logits say, and its greedy path is plain greedy decoding."""

import math
from itertools import pairwise

import pytest

from judgecli.backends.llama_cpp.context import Rows, Want
from judgecli.backends.llama_cpp.distribution import Limits, log_softmax
from judgecli.backends.llama_cpp.engine import Engine
from judgecli.errors import ModelError
from judgecli.prompts import load_family, render
from judgecli.types import LabelsGrammar, Order, Piece, Prompt, Request, Seat
from tests.backends.asking import SCORES, SHOTS, judge_one, read_plainly, request, write_plainly
from tests.made_up import make_pair

pytestmark = pytest.mark.demo


def test_llama_cpp_python_1983_equals_softmax_of_logits_computed_directly(engine: Engine) -> None:
    """Decimals and `10` included; each verdict's tokens are evaluated by hand, one call a token."""
    asked = request(f"{SHOTS}Scores:")
    distribution, evaluated = read_plainly(engine, asked, Limits(covered_share=0.9))
    context, n_prompt, logits = engine.contexts.prompts.context, evaluated.n_tokens, evaluated.logits
    ranked = sorted(distribution.p, key=distribution.p.__getitem__, reverse=True)
    decimals = [text for text in ranked if "." in text][:3]
    tens = [text for text in ranked if "10" in text][:3]
    assert decimals
    assert tens
    for text in {*ranked[:3], *decimals[:2], *tens[:2]}:
        [(_, path)] = engine.tokenizer.continuations("Scores:", [text])
        logprob = float(log_softmax(logits)[path[0]])
        for offset, (token, following) in enumerate(pairwise(path)):
            rows = Rows()
            rows.extend([token], start=n_prompt + offset, sequences=(0,), want=Want.LAST)
            context.decode(rows)
            logprob += float(log_softmax(context.logits(0))[following])
        context.truncate(0, n_prompt)
        assert distribution.p[text] == pytest.approx(math.exp(logprob), abs=1e-5, rel=1e-4)


def test_probabilities_add_up(engine: Engine) -> None:
    distribution = judge_one(engine, request(f"{SHOTS}Scores:")).distribution
    assert distribution is not None
    assert all(0 <= p <= 1 for p in distribution.p.values())
    assert 0.3 < distribution.mass <= 1 + 1e-9
    assert set(distribution.p) <= set(SCORES.readings)
    assert distribution.greedy in distribution.p


def test_more_branches_only_move_mass_from_unopened(engine: Engine) -> None:
    asked = request(f"{SHOTS}Scores:")
    few, some, many = (read_plainly(engine, asked, Limits(in_all=n))[0] for n in (3, 12, 50))
    assert len(few.p) <= len(some.p) < len(many.p)
    assert few.p_unopened > some.p_unopened > many.p_unopened
    assert few.greedy == some.greedy == many.greedy
    assert few.mass > some.mass > many.mass > sum(many.p.values())


@pytest.mark.parametrize("family", ["chat", "judgelm"])
def test_greedy_path_is_plain_greedy_decoding_where_the_mass_is_high(engine: Engine, family: str) -> None:
    if family == "chat":
        loaded = load_family("chat")
        prompt = render(loaded, make_pair(), Order.AB, engine.tokenizer.chat_template)
        asked = Request.of(prompt, item_id="q1", order=Order.AB, grammar=loaded.task(2).grammar)
    else:
        asked = request(f"{SHOTS * 3}Scores:")
    completion = judge_one(engine, asked)
    assert completion.distribution is not None
    assert completion.distribution.mass > 0.5
    plain = write_plainly(engine, asked, n_tokens=completion.n_completion_tokens)
    assert plain == completion.text


def test_label_of_several_tokens(engine: Engine) -> None:
    grammar = LabelsGrammar(labels={"Paris is best": Seat.FIRST, "London is best": Seat.SECOND})
    asked = request("The capital of France is Paris. The best capital of France:", grammar)
    prompt = Prompt(pieces=(Piece(text='Which? The answer is "'),))
    distribution = judge_one(
        engine, Request.of(prompt, item_id="q", order=Order.AB, grammar=grammar)
    ).distribution
    assert distribution is not None
    assert distribution.greedy in grammar.labels
    assert asked.grammar is grammar


def test_label_that_begins_another_by_its_tokens_is_refused(engine: Engine) -> None:
    grammar = LabelsGrammar(labels={"1": Seat.FIRST, "11": Seat.SECOND})
    with pytest.raises(ModelError, match="begin"):
        judge_one(engine, request("Score:", grammar))


def test_verdict_that_merges_with_the_prompt_is_refused(engine: Engine) -> None:
    grammar = LabelsGrammar(labels={"A": Seat.FIRST, "B": Seat.SECOND})
    with pytest.raises(ModelError, match=r"joins 'ter is: ' and the verdict 'A' into one token"):
        engine.tokenizer.check_verdicts(request("Better is: ").prompt, grammar)
