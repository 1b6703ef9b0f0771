"""Writing on from one prompt while its text is read: for conversations, whose prompts grow.

The text is written as any other is, in the writer's context. The prompt stays in the prompts' cache, so that
of the next, longer one only what is new has to be evaluated, where one prompt at a time is in that cache.
"""

from __future__ import annotations

from codecs import getincrementaldecoder
from collections.abc import Iterator, Sequence
from itertools import chain

from judgecli.backends.llama_cpp.context import EngineError
from judgecli.backends.llama_cpp.contexts import Contexts
from judgecli.backends.llama_cpp.tokenizer import LlamaTokenizer
from judgecli.backends.llama_cpp.writing import Continuation
from judgecli.errors import ModelError
from judgecli.types import Prompt, WrittenPiece


def converse(
    contexts: Contexts, tokenizer: LlamaTokenizer, prompt: Prompt, *, max_tokens: int, stop: Sequence[str]
) -> Iterator[WrittenPiece]:
    """Write on from a prompt's end, yielding pieces as they come and last how the text ended.

    It ends before the first of the `stop` texts, and after `max_tokens` or where the context is full.

    Raises:
        ModelError: the prompt does not fit into the context, or llama.cpp fails.
    """
    ids = list(chain.from_iterable(tokenizer.encode(prompt)))
    room = contexts.n_ctx - len(ids)
    if room < 1:
        sizes = f"the conversation has {len(ids):,} tokens and the context {contexts.n_ctx:,}"
        raise ModelError(f"{sizes}; begin a new one, or take a larger --n-ctx if the model allows it")
    try:
        begun = _begin(contexts, ids, max_tokens=min(max_tokens, room), stop=tuple(stop))
        yield from _pieces(contexts, begun)
    except EngineError as error:
        contexts.renew_prompts()
        contexts.renew_writing()
        raise ModelError(f"llama.cpp failed ({error}); ask again, or take a smaller --n-ctx") from error
    finally:  # the text may have been left half-way
        contexts.forget_texts()


def _begin(contexts: Contexts, ids: Sequence[int], *, max_tokens: int, stop: tuple[str, ...]) -> Continuation:
    units = contexts.prompts.cut_as_kept(ids)
    [prompt] = contexts.prompts.evaluate([units])
    state = contexts.prompts.context.state_of(prompt.sequence)
    return Continuation(units=units, state=state, logits=prompt.logits, max_tokens=max_tokens, stop=stop)


def _pieces(contexts: Contexts, begun: Continuation) -> Iterator[WrittenPiece]:
    shown = ShownText(begun.stop)
    stream, written = contexts.writer.join(begun)
    while written is None:
        piece = shown.more_of(contexts.writer.text_of(stream))
        if piece:
            yield WrittenPiece(text=piece)
        written = dict(contexts.writer.step()).get(stream)
    yield WrittenPiece(text=written.text[shown.n_characters :], finish_reason=written.finish_reason)


class ShownText:
    """What has been shown of a growing text: whole characters, none of which may turn out to begin a stop."""

    def __init__(self, stop: Sequence[str]) -> None:
        """Take the texts before which the text ends."""
        self.n_characters = 0
        self._n_bytes = 0
        self._stops = [text.encode() for text in stop]
        self._decoder = getincrementaldecoder("utf-8")("replace")

    def more_of(self, text: bytes) -> str:
        """Return what can be shown beside what was shown before."""
        end = len(text) - max((_n_begun(text, stop) for stop in self._stops), default=0)
        piece = self._decoder.decode(text[self._n_bytes : end])
        self._n_bytes = max(end, self._n_bytes)
        self.n_characters += len(piece)
        return piece


def _n_begun(text: bytes, stop: bytes) -> int:
    """Return how many bytes of a stop text, not all of them, a text ends with."""
    lengths = range(min(len(stop) - 1, len(text)), 0, -1)
    return next((n for n in lengths if text.endswith(stop[:n])), 0)
