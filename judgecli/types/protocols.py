"""What a backend implements."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, Protocol, Self, runtime_checkable

from judgecli.types.entropy import JudgedText, TokenEntropy
from judgecli.types.grammar import Grammar
from judgecli.types.prompts import Completion, Prompt, Request, WrittenPiece


class Tokenizer(Protocol):
    """Turns prompts into token ids; opening one needs no weights."""

    @property
    def n_ctx_train(self) -> int | None:
        """Context length in tokens that the model was trained for; None where unknown."""

    @property
    def chat_template(self) -> str | None:
        """The GGUF's own chat template (Jinja), if it has one."""

    @property
    def end_of_text(self) -> str:
        """The spelling of the token that ends a text; "" where there is none."""

    def encode(self, prompt: Prompt) -> list[list[int]]:
        """Return token ids, one list an evaluation unit; joined they are the whole prompt."""

    def check_verdicts(self, prompt: Prompt, grammar: Grammar) -> None:
        """Raise ModelError if the grammar's verdicts could not be read off after this prompt."""


class Backend(Protocol):
    """A judge model ready to be asked; a context manager that frees it."""

    @property
    def settings(self) -> Mapping[str, Any]:
        """What a run header records of this backend (device, n_ctx, n_ubatch, versions, ...)."""

    def judge(self, requests: Sequence[Request]) -> Iterator[Completion]:
        """Judge many requests, yielding completions as they finish, in any order."""

    def write(self, prompt: Prompt, *, max_tokens: int, stop: Sequence[str] = ()) -> Iterator[WrittenPiece]:
        """Write on from a prompt's end, yielding whole characters as they come, and last how it ended.

        The text ends before the first of the `stop` texts; blanks are none before its first word. The next,
        longer prompt of a conversation should not have what it begins with evaluated again.

        Raises:
            ModelError: the prompt does not fit into the context, or the judge fails.
        """

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None: ...


@runtime_checkable
class EntropyBackend(Backend, Protocol):
    """A backend that also knows what else its model might have written; not all do."""

    def entropies(self, texts: Sequence[JudgedText]) -> Iterator[tuple[JudgedText, TokenEntropy]]:
        """Yield each text with the model's mean entropy over its tokens, in any order."""
