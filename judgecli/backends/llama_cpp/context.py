"""The memory a model works in: sequences of tokens, and the logits of rows decoded into them."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from judgecli.backends.llama_cpp.interrupts import Interrupts
from judgecli.backends.llama_cpp.library import clear_log, last_error, load_library
from judgecli.backends.llama_cpp.model import LlamaModel
from judgecli.errors import ModelError

_KV_TYPES = {  # ggml_type
    "f32": 0,
    "f16": 1,
    "q4_0": 2,
    "q4_1": 3,
    "q5_0": 6,
    "q5_1": 7,
    "q8_0": 8,
    "bf16": 30,
}
_ROW_SEQUENCES = 16  # a row belongs to as many prompts as are evaluated in one call, at most
_INTERRUPTIBLE_ROWS = 64  # below this a call is over before a person notices


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextOptions:
    """How a context is made, in llama.cpp's own names; all but the sizes and threads change a run's bits.

    With `kv_unified` all sequences share the `n_ctx` cells; without, each has its share of them to itself.
    """

    n_ctx: int
    n_seq_max: int
    kv_unified: bool = True
    n_batch: int | None = None
    n_threads: int | None = None
    n_ubatch: int = 512
    type_k: str = "f16"
    type_v: str = "f16"
    flash_attn: bool = True


class LlamaContext:
    """Sequences of one model's tokens, evaluated in calls of many rows."""

    def __init__(self, model: LlamaModel, options: ContextOptions) -> None:
        """Make a context for a model that outlives it.

        Raises:
            ModelError: the memory does not suffice, or llama.cpp refuses the options.
        """
        self._lib = load_library()
        clear_log()
        self.handle = self._lib.llama_init_from_model(model.handle, context_params(self._lib, options))
        if not self.handle:
            reason = last_error() or "no reason given"
            message = f"llama.cpp cannot make a context of {options.n_ctx} tokens ({reason}); lower --n-ctx"
            raise ModelError(message)
        self.n_ctx = int(self._lib.llama_n_ctx(self.handle))
        self._n_vocab = model.tokenizer.n_vocab
        self._memory = self._lib.llama_get_memory(self.handle)
        self.n_seq_max = options.n_seq_max
        self.n_ubatch = int(self._lib.llama_n_ubatch(self.handle))
        self._flash_attn = options.flash_attn
        self.n_batch = int(self._lib.llama_n_batch(self.handle))
        self.n_evaluated = 0  # tokens of all calls so far
        self._batch = self._lib.llama_batch_init(self.n_batch, 0, min(options.n_seq_max, _ROW_SEQUENCES))
        self._views = _BatchViews(self._batch, self.n_batch)
        self._interrupts = Interrupts()
        self._on_abort = self._lib.ggml_abort_callback(self._poll)
        self._no_abort = self._lib.ggml_abort_callback(0)

    def decode(self, rows: Rows) -> None:
        """Evaluate rows in one call; logits are kept for the wanted ones.

        Raises:
            EngineError: llama.cpp reports a failure.
            KeyboardInterrupt: an interrupt arrived during the call.
        """
        if self.handle is None:
            raise EngineError("the context is closed")
        self._fill(rows)
        n = len(rows.tokens)
        watched = self._on_abort if n > _INTERRUPTIBLE_ROWS else self._no_abort
        self._lib.llama_set_abort_callback(self.handle, watched, None)
        with self._interrupts.deferred():
            code = self._lib.llama_decode(self.handle, self._batch)
        if code != 0:
            raise EngineError(f"llama_decode returned {code} for {n} tokens")
        self.n_evaluated += n

    def decode_accompanied(self, rows: Rows, free_sequence: int) -> None:
        """Evaluate rows in one call; a lone one gets a companion in a sequence that is free, and stays so.

        With flash attention, llama.cpp shares out a lone row's cells among threads, and its bits then depend
        on how many there are.
        """
        is_alone = self._flash_attn and len(rows.tokens) == 1
        if is_alone:
            rows.extend([0], start=0, sequences=(free_sequence,), want=Want.LAST)
        self.decode(rows)
        if is_alone:
            self.truncate(free_sequence, 0)

    def logits(self, row: int) -> NDArray[np.float32]:
        """Return a copy of a row's logits, one a vocabulary entry.

        Raises:
            EngineError: the row's logits were not asked for, or are not numbers.
        """
        pointer = self._lib.llama_get_logits_ith(self.handle, row)
        if not pointer:
            raise EngineError(f"no logits for row {row}")
        values = np.ctypeslib.as_array(pointer, shape=(self._n_vocab,)).copy()
        if np.isnan(values).any():
            raise EngineError("logits are not numbers (NaN)")
        return values

    def truncate(self, sequence: int, length: int) -> bool:
        """Keep the first `length` tokens of a sequence; False where the model cannot drop the rest."""
        return bool(self._lib.llama_memory_seq_rm(self._memory, sequence, length, -1))

    def copy(self, source: int, target: int, length: int) -> None:
        """Let a sequence begin with the first tokens of another; bookkeeping only in a unified cache."""
        self._lib.llama_memory_seq_cp(self._memory, source, target, 0, length)

    def state_of(self, sequence: int) -> NDArray[np.uint8]:
        """Return a copy of all that is kept of a sequence, for `restore` of any context of the same model.

        Raises:
            EngineError: llama.cpp does not give it.
        """
        size = int(self._lib.llama_state_seq_get_size(self.handle, sequence))
        state = np.empty(size, dtype=np.uint8)
        pointer = state.ctypes.data_as(ctypes.POINTER(ctypes.c_uint8))
        if int(self._lib.llama_state_seq_get_data(self.handle, pointer, size, sequence)) != size:
            raise EngineError(f"the state of sequence {sequence} ({size} bytes) cannot be copied")
        return state

    def restore(self, sequence: int, state: NDArray[np.uint8]) -> None:
        """Let a sequence be what `state_of` copied.

        Raises:
            EngineError: there is no room, or the context is of another kind.
        """
        self.truncate(sequence, 0)
        pointer = state.ctypes.data_as(ctypes.POINTER(ctypes.c_uint8))
        if not self._lib.llama_state_seq_set_data(self.handle, pointer, state.size, sequence):
            raise EngineError(f"a state of {state.size} bytes does not fit into sequence {sequence}")

    def clear(self) -> None:
        """Forget every sequence."""
        if self.handle is None:  # closed, as after a context that could not be made anew
            return
        # the cells are free without their data being zeroed, which takes milliseconds
        self._lib.llama_memory_clear(self._memory, False)

    def close(self) -> None:
        """Free the context and its batch."""
        if self.handle:
            self._lib.llama_batch_free(self._batch)
            self._lib.llama_free(self.handle)
            self.handle = None

    def _fill(self, rows: Rows) -> None:
        n = len(rows.tokens)
        if n > self.n_batch:
            raise EngineError(f"{n} tokens in one call, of {self.n_batch} that fit")
        views = self._views
        views.token[:n], views.pos[:n] = rows.tokens, rows.positions
        views.n_seq_id[:n], views.logits[:n] = [len(sequences) for sequences in rows.sequences], 0
        views.logits[rows.wanted] = 1
        for row, sequences in enumerate(rows.sequences):
            for index, sequence in enumerate(sequences):
                self._batch.seq_id[row][index] = sequence
        self._batch.n_tokens = n

    def _poll(self, _data: object) -> bool:
        """Tell llama.cpp whether to stop; running Python here is what lets a signal be noted at all."""
        return self._interrupts.arrived

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


@dataclass(slots=True)
class Rows:
    """What one decode call evaluates: token, position and sequences a row, and the wanted rows."""

    tokens: list[int] = field(default_factory=list)
    positions: list[int] = field(default_factory=list)
    sequences: list[tuple[int, ...]] = field(default_factory=list)
    wanted: list[int] = field(default_factory=list)

    def extend(self, tokens: Sequence[int], *, start: int, sequences: tuple[int, ...], want: Want) -> None:
        """Add consecutive tokens that begin at position `start` in each of some sequences."""
        first = len(self.tokens)
        self.tokens.extend(tokens)
        self.positions.extend(range(start, start + len(tokens)))
        self.sequences.extend([sequences] * len(tokens))
        if want is Want.LAST:
            self.wanted.append(first + len(tokens) - 1)
        elif want is Want.ALL:
            self.wanted.extend(range(first, first + len(tokens)))


class Want(Enum):
    """Which rows' logits to keep."""

    NONE = "none"
    LAST = "last"
    ALL = "all"


def context_params(lib: Any, options: ContextOptions) -> Any:
    """Return `llama_context_params` with these options."""
    params = lib.llama_context_default_params()
    params.n_ctx = options.n_ctx
    params.n_batch = options.n_batch or options.n_ctx
    params.n_ubatch = min(options.n_ubatch, params.n_batch)
    params.n_seq_max = options.n_seq_max
    params.kv_unified = options.kv_unified
    params.flash_attn_type = 1 if options.flash_attn else 0
    params.type_k, params.type_v = _KV_TYPES[options.type_k], _KV_TYPES[options.type_v]
    params.swa_full = True  # else a sliding window forgets prefixes that are still wanted
    params.no_perf = True
    params.n_threads = params.n_threads_batch = options.n_threads or available_cores()
    return params


class EngineError(Exception):
    """A failure of one evaluation; it becomes the failure of its own judgment, not of the run."""


class _BatchViews:
    """Arrays over llama_batch's C memory: filling them one element at a time is slow."""

    def __init__(self, batch: Any, size: int) -> None:
        self.token = np.ctypeslib.as_array(batch.token, shape=(size,))
        self.pos = np.ctypeslib.as_array(batch.pos, shape=(size,))
        self.n_seq_id = np.ctypeslib.as_array(batch.n_seq_id, shape=(size,))
        self.logits = np.ctypeslib.as_array(batch.logits, shape=(size,))


def available_cores() -> int:
    """Return the number of cores this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on macOS and Windows
        return os.cpu_count() or 1


def offload_device(n_gpu_layers: int | None) -> str:
    """Return where the layers go: "gpu" if the build can offload and was not told otherwise, else "cpu"."""
    return "gpu" if can_offload() and n_gpu_layers != 0 else "cpu"


def can_offload() -> bool:
    """Whether this build of llama.cpp can place layers on a GPU."""
    return bool(load_library().llama_supports_gpu_offload())
