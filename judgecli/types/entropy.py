"""Nouns of looking again at what a judge wrote: how unsure a model is of it, token by token."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from judgecli.types.answers import Order
from judgecli.types.prompts import Prompt

JUDGE_MODEL = "judge"  # whose entropy a reading is: the judge's own, or a base model's


def base_model_name(sha256: str) -> str:
    """Return what readings of a base model bear, so that those of another one are not taken for its."""
    return f"base:{sha256[:12]}"


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedText:
    """A prompt and the text that a judge wrote after it; `render` and `path` are as those of a `Request`.

    `conclusion` was put into the text for the judge to go on from: it is read as the judge read it, but as it
    is not the judge's, its tokens do not count.
    """

    item_id: str
    order: Order
    prompt_hash: str
    render: Callable[[], Prompt] = field(compare=False, repr=False)
    path: tuple[int, ...] = ()
    text: str
    conclusion: str = ""

    @property
    def prompt(self) -> Prompt:
        """The prompt, rendered at every look."""
        return self.render()


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenEntropy:
    """The mean Shannon entropy, in nats, of a model's next-token distribution over a text's tokens.

    `n_tokens` are those tokens, which the model's own tokenizer makes of the text. `value` is None where
    there is none, and `error` then says why.
    """

    value: float | None
    n_tokens: int
    error: str | None = None
