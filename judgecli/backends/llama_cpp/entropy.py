"""How unsure a model is of a text, token by token: the entropy of what it would have written in each place.

Prompts come depth first and are cut as they are for judging, one at a time in the cache, so that a text's
entropy does not depend on the other texts. The text follows in calls of a fixed size that asks for the logits
of every row; nothing is kept of them but two sums.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from judgecli.backends.llama_cpp.context import EngineError, LlamaContext, Rows, Want
from judgecli.backends.llama_cpp.contexts import Contexts
from judgecli.backends.llama_cpp.evaluation import Evaluated, PathCache
from judgecli.backends.llama_cpp.tokenizer import LlamaTokenizer
from judgecli.types import JudgedText, TokenEntropy, depth_first

# Rows whose logits are there at once: 64 of 128,000 tokens each are 33 MB, and a CPU is as fast as with 512.
_CHUNK_ROWS = 64


def token_entropies(
    contexts: Contexts, tokenizer: LlamaTokenizer, texts: Sequence[JudgedText]
) -> Iterator[tuple[JudgedText, TokenEntropy]]:
    """Yield each text with its mean token entropy, those whose prompts begin alike next to each other.

    It is the mean, over the text's tokens, of -sum(p log p) in nats over the whole vocabulary, p being the
    distribution in the place of the token; in that of the first, it is the one at the prompt's end. A text
    without tokens, one that does not fit into the context, or one on which llama.cpp fails has a reason
    instead.

    Source: Huang et al. 2024, arXiv 2403.02839; the entropy by its definition, not by the released code,
    which multiplies log-probabilities with logits and looks one place too late.
    """
    contexts.forget()
    cache = PathCache(contexts.prompts.context)
    try:
        for index in depth_first(text.path for text in texts):
            try:
                entropy = _entropy_of(texts[index], tokenizer, cache, contexts.n_ctx)
            except EngineError as error:
                entropy = TokenEntropy(value=None, n_tokens=0, error=f"llama.cpp failed ({error})")
                contexts.renew_prompts()
                cache = PathCache(contexts.prompts.context)
            yield texts[index], entropy
    finally:
        contexts.forget()


def _entropy_of(judged: JudgedText, tokenizer: LlamaTokenizer, cache: PathCache, n_ctx: int) -> TokenEntropy:
    units = tokenizer.encode(judged.prompt)
    written = _written_tokens(judged, tokenizer)
    n_counted = sum(written.is_counted)
    if not n_counted:
        return TokenEntropy(value=None, n_tokens=0, error="the judge wrote no text")
    n_tokens = sum(map(len, units)) + len(written.tokens)
    if n_tokens > n_ctx:
        sizes = f"{n_tokens:,} tokens of {n_ctx:,}"
        return TokenEntropy(value=None, n_tokens=n_counted, error=f"prompt and text do not fit ({sizes})")
    [prompt] = cache.evaluate([units])
    places = _logits_before_each(written.tokens, prompt, cache.context)
    total = math.fsum(
        shannon_entropy(logits)
        for logits, is_counted in zip(places, written.is_counted, strict=True)
        if is_counted
    )
    return TokenEntropy(value=total / n_counted, n_tokens=n_counted)


@dataclass(frozen=True, slots=True)
class _Tokens:
    """The tokens after a prompt, and which of them the judge wrote."""

    tokens: list[int]
    is_counted: list[bool]


def _written_tokens(judged: JudgedText, tokenizer: LlamaTokenizer) -> _Tokens:
    """Return a text's tokens as they go on after a prompt; none is a control token.

    A conclusion is cut off and tokenized alone, as it was when the judge was made to go on from it.
    """
    before, conclusion, after = "", "", judged.text
    if judged.conclusion:
        before, conclusion, after = judged.text.rpartition(judged.conclusion)
    written = _Tokens(tokens=[], is_counted=[])
    for text, is_counted in ((before, True), (conclusion, False), (after, True)):
        tokens = tokenizer.inside(text) if text else []
        written.tokens.extend(tokens)
        written.is_counted.extend([is_counted] * len(tokens))
    return written


def _logits_before_each(
    tokens: Sequence[int], prompt: Evaluated, context: LlamaContext
) -> Iterator[NDArray[np.float32]]:
    """Yield the logits in the place of each token: after the prompt, then after each token but the last.

    Raises:
        EngineError: a call failed.
    """
    yield prompt.logits
    n_left = len(tokens) - 1
    # never more than one evaluation of llama.cpp's own, so that it leaves no row alone either
    size = min(_CHUNK_ROWS, context.n_ubatch)
    for at in range(0, n_left, size):
        n_read = min(size, n_left - at)
        # A row that is decoded alone takes another kernel. The text's last token, after which nothing is
        # read, keeps it company; its logits are asked for too, or the last layer would see one row.
        chunk = tokens[at : at + max(n_read, 2)]
        rows = Rows()
        rows.extend(chunk, start=prompt.n_tokens + at, sequences=(prompt.sequence,), want=Want.ALL)
        context.decode(rows)
        yield from (context.logits(row) for row in range(n_read))


def shannon_entropy(logits: NDArray[np.float32]) -> float:
    """Return -sum(p log p) in nats of the softmax of logits; a token of logit -inf has no part in it.

    Raises:
        EngineError: no logit is a finite number, or one is +inf.
    """
    highest = float(logits.max())
    if not math.isfinite(highest):
        raise EngineError("logits are not numbers")
    # in double precision: 100,000 small terms of single precision lose the fourth digit
    shifted = logits[np.isfinite(logits)].astype(np.float64) - highest
    weights = np.exp(shifted)
    total = float(weights.sum())
    return max(math.log(total) - float(weights @ shifted) / total, 0.0)
