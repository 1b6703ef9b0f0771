"""From a prompt to token ids, so that text can never become a control token.

Text is tokenized with special tokens off; control tokens of a chat template are written by id. llama.cpp
matches USER_DEFINED tokens even with special off, so text is also split inside their spelling.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Any

from judgecli.backends.llama_cpp.library import load_library
from judgecli.backends.llama_cpp.text_runs import Control, TextRun, any_of, split_inside, text_runs
from judgecli.backends.llama_cpp.token_trie import build_trie
from judgecli.errors import ModelError
from judgecli.types import Grammar, PieceKind, Prompt

_UNKNOWN, _CONTROL, _USER_DEFINED = 1, 8, 16  # llama_token_attr
_SENTENCEPIECE = 1  # llama_vocab_type
_SHIELD = "\x01"
_TAIL_CHARACTERS = 24
_CHECKED_TEXTS = 200  # the shortest ones: a merge shows in them if it happens at all


class LlamaTokenizer:
    """The tokenizer of a loaded model; `model` is a llama_model handle that outlives this object."""

    def __init__(self, model: Any) -> None:
        self._lib = load_library()
        self._model = model
        self._vocab = self._lib.llama_model_get_vocab(model)

    @cached_property
    def metadata(self) -> dict[str, str]:
        """The GGUF's metadata, values as text (arrays shortened by llama.cpp)."""
        buffer = ctypes.create_string_buffer(1 << 20)
        found = {}
        for index in range(self._lib.llama_model_meta_count(self._model)):
            self._lib.llama_model_meta_key_by_index(self._model, index, buffer, len(buffer))
            key = buffer.value.decode("utf-8", errors="replace")
            self._lib.llama_model_meta_val_str_by_index(self._model, index, buffer, len(buffer))
            found[key] = buffer.value.decode("utf-8", errors="replace")
        return found

    @property
    def n_ctx_train(self) -> int | None:
        """Context length in tokens that the model was trained for; None where the file has none."""
        # llama_model_n_ctx_train is 0 for a model opened with vocab_only
        value = self.metadata.get(f"{self.metadata.get('general.architecture')}.context_length")
        return int(value) if value else None

    @property
    def chat_template(self) -> str | None:
        """The GGUF's own chat template (Jinja), if it has one."""
        return self.metadata.get("tokenizer.chat_template")

    @property
    def end_of_text(self) -> str:
        """The spelling of the token that ends a text; "" where there is none."""
        token = self._lib.llama_vocab_eos(self._vocab)
        text = self._lib.llama_vocab_get_text(self._vocab, token) if token >= 0 else b""
        return str(text.decode("utf-8", "replace"))

    @property
    def n_vocab(self) -> int:
        """Size of the vocabulary."""
        return int(self._lib.llama_vocab_n_tokens(self._vocab))

    def is_end_of_generation(self, token: int) -> bool:
        """Whether a token ends a completion."""
        return bool(self._lib.llama_vocab_is_eog(self._vocab, token))

    @cached_property
    def end_tokens(self) -> list[int]:
        """All tokens that end a completion."""
        return [token for token in range(self.n_vocab) if self.is_end_of_generation(token)]

    def text_of(self, tokens: list[int]) -> bytes:
        """Return the bytes that tokens stand for; control tokens stand for nothing."""
        buffer = ctypes.create_string_buffer(512)
        parts = []
        for token in tokens:
            size = self._lib.llama_token_to_piece(self._vocab, token, buffer, len(buffer), 0, False)
            parts.append(buffer.raw[: max(size, 0)])
        return b"".join(parts)

    def encode(self, prompt: Prompt) -> list[list[int]]:
        """Return token ids, one list an evaluation unit; joined they are the whole prompt."""
        units: list[list[int]] = [[]]
        for run in text_runs(prompt.pieces, self._markup):
            if isinstance(run, Control):
                units[-1].append(run.token)
                if run.cut:
                    units.append([])
            else:
                first, *later = self._encode_run(run)
                units[-1].extend(first)
                units.extend(later)
        self._set_bos(units[0])
        return [unit for unit in units if unit]

    def _set_bos(self, ids: list[int]) -> None:
        """Make BOS stand once at the front if the GGUF asks for it.

        A template may have written it already; where the GGUF does not ask, what the template wrote is part
        of its turns (SmolLM2's BOS is `<|im_start|>`).
        """
        bos = int(self._lib.llama_vocab_bos(self._vocab))
        if self._lib.llama_vocab_get_add_bos(self._vocab) and ids[:1] != [bos]:
            ids.insert(0, bos)

    def tail_of(self, prompt: Prompt) -> str:
        """Return the end of a prompt that decides how a verdict right after it is tokenized."""
        last = prompt.pieces[-1]
        return last.text[-_TAIL_CHARACTERS:] if last.kind is PieceKind.TEXT else ""

    def continuations(self, tail: str, texts: Iterable[str]) -> Iterator[tuple[str, list[int]]]:
        """Yield each text and its ids as they are written right after `tail`, a prompt's end.

        Raises:
            ModelError: the tokenizer merges the end of the prompt with the beginning of a text.
        """
        return _right_after(tail, texts, self._tokenize)

    def later_continuations(self, opening: str, texts: Iterable[str]) -> Iterator[tuple[str, list[int]]]:
        """Yield each text and the ids of it with `opening` before it, written after the end of some token."""
        for text in texts:
            yield text, self._tokenize_inside(opening + text)

    def conclusions(self, conclusion: str, texts: Iterable[str]) -> Iterator[tuple[str, list[int]]]:
        """Yield each text and its ids as they are written right after `conclusion`, within a text.

        Raises:
            ModelError: the tokenizer merges the end of the conclusion with the beginning of a text.
        """
        return _right_after(conclusion, texts, self.inside)

    def inside(self, text: str) -> list[int]:
        """Return the ids of a text that goes on after other tokens; none is a control token."""
        parts = split_inside(text, self._user_defined)
        return [token for part in parts for token in self._tokenize_inside(part)]

    def check_verdicts(self, prompt: Prompt, grammar: Grammar) -> None:
        """Refuse a grammar whose verdicts could not be read off after this prompt.

        Raises:
            ModelError: the tokenizer merges a verdict with the prompt, or one verdict begins another.
        """
        texts = sorted(grammar.readings, key=len)[:_CHECKED_TEXTS]
        build_trie(self.continuations(self.tail_of(prompt), texts))

    def _encode_run(self, run: TextRun) -> list[list[int]]:
        """Tokenize a run of text as a whole, then split the ids at its cuts (at token boundaries)."""
        units: list[list[int]] = [[]]
        start = 0
        for segment in split_inside(run.text, self._user_defined):
            tokenize = self._tokenize if start == 0 else self._tokenize_inside
            ids, taken = tokenize(segment), 0
            for cut in (cut - start for cut in run.cuts if start < cut <= start + len(segment)):
                boundary = _shared_length(ids, tokenize(segment[:cut]))
                units[-1].extend(ids[taken:boundary])
                units.append([])
                taken = boundary
            units[-1].extend(ids[taken:])
            start += len(segment)
        return units

    def _tokenize(self, text: str) -> list[int]:
        data = text.encode("utf-8", errors="replace")
        size = len(data) + 8
        buffer = (self._lib.llama_token * size)()
        n = self._lib.llama_tokenize(self._vocab, data, len(data), buffer, size, False, False)
        if n < 0:
            raise ModelError(f"llama.cpp cannot tokenize a text of {len(data)} bytes (code {n})")
        return list(buffer[:n])

    def _tokenize_inside(self, text: str) -> list[int]:
        """Tokenize text that continues a run: SentencePiece would put a blank before it."""
        if self._lib.llama_vocab_type(self._vocab) != _SENTENCEPIECE:
            return self._tokenize(text)
        # A byte that is in no word of any vocabulary merges with nothing, so it shields the text from that
        # blank; a newline would not do where there are tokens of several.
        return self._tokenize(_SHIELD + text)[len(self._tokenize(_SHIELD)) :]

    @cached_property
    def _markup(self) -> dict[str, int]:
        """Spelling and id of every token that only a template may write."""
        return {text: token for token, text in self._special_tokens(_CONTROL | _UNKNOWN | _USER_DEFINED)}

    @cached_property
    def _user_defined(self) -> re.Pattern[str] | None:
        """Finds the spellings that llama.cpp would match in plain text (runs of blanks excepted)."""
        spellings = [text for _, text in self._special_tokens(_USER_DEFINED) if re.search(r"[^\W\d_]", text)]
        return any_of(text for text in spellings if len(text) > 1)

    def _special_tokens(self, attributes: int) -> list[tuple[int, str]]:
        tokens = (
            t for t in range(self.n_vocab) if self._lib.llama_vocab_get_attr(self._vocab, t) & attributes
        )
        spelled = (
            (t, self._lib.llama_vocab_get_text(self._vocab, t).decode("utf-8", "replace")) for t in tokens
        )
        return [(token, text) for token, text in spelled if text]


def _right_after(
    before: str, texts: Iterable[str], tokenize: Callable[[str], list[int]]
) -> Iterator[tuple[str, list[int]]]:
    """Yield each text and its ids as they are written right after some words.

    Raises:
        ModelError: the tokenizer merges the end of those words with the beginning of a text.
    """
    ids = tokenize(before)
    for text in texts:
        both = tokenize(before + text)
        if both[: len(ids)] != ids or len(both) == len(ids):
            joined = f"this model's tokenizer joins {before[-8:]!r} and the verdict {text!r}"
            raise ModelError(f"{joined} into one token, so it cannot be read; change the words before it")
        yield text, both[len(ids) :]


def _shared_length(left: list[int], right: list[int]) -> int:
    pairs = zip(left, right, strict=False)
    return next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(left), len(right)))
