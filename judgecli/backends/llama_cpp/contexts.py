"""The contexts of one model: for prompts, for their branches, and to write explanations in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from judgecli.backends.llama_cpp.branching import Apart, Beside, BranchPlace, WrittenText
from judgecli.backends.llama_cpp.context import ContextOptions, LlamaContext
from judgecli.backends.llama_cpp.distribution import BRANCHES_A_LEVEL, MAX_BRANCHES, Limits
from judgecli.backends.llama_cpp.evaluation import Evaluated, PathCache, PromptCache, Units, WindowCache
from judgecli.backends.llama_cpp.model import LlamaModel
from judgecli.backends.llama_cpp.sequence_state import StateLayout
from judgecli.backends.llama_cpp.writing import CHUNK_ROWS, Writer
from judgecli.types import EngineOptions

# Cells beside a prompt's own: every branch of a distribution is a few tokens in a sequence of its own.
BRANCH_CELLS = 512
_MAX_SEQUENCES = 256  # LLAMA_MAX_SEQ, compiled into llama.cpp
_GREEDY_PLACES = 8  # the greedy path is followed to its end even when no branches are left
_SMALL_CALL_ROWS = 256  # no more streams than this
_CELL_STEP = 256  # what llama.cpp rounds a stream's cells up to


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """The sizes of a model's contexts.

    `n_ctx` is the tokens a prompt may have, `n_prompts` how many prompts are evaluated in one call,
    `n_streams` how many explanations are written at once. A model that cannot drop tails reads one prompt at
    a time, and begins every branch at its prompt's end. `splits_calls` asks for contexts without flash
    attention for calls of few rows, see `branching`.
    """

    n_ctx: int
    engine: EngineOptions
    n_prompts: int = 1
    n_streams: int = 2
    can_drop_tails: bool = True
    splits_calls: bool = False

    @property
    def limits(self) -> Limits:
        """How far distributions are followed: the sequences there are, shared out."""
        if not self.can_drop_tails:
            return Limits()
        for_each = _MAX_SEQUENCES // self.n_prompts
        return Limits(in_all=min(MAX_BRANCHES, for_each - 1 - _GREEDY_PLACES))

    def prompts(self) -> ContextOptions:
        """Return the options of the context for prompts: one cache that they share with their branches."""
        # without parts of a sequence to drop, a level's branches are gone before the next one's are made
        branches = self.limits.in_all + _GREEDY_PLACES if self.can_drop_tails else BRANCHES_A_LEVEL + 1
        n_cells = 0 if self.splits_calls else BRANCH_CELLS
        return self._options(
            n_ctx=self.n_prompts * (self.n_ctx + n_cells),
            n_seq_max=1 if self.splits_calls else self.n_prompts * (1 + branches),
            n_ubatch=self.engine.n_ubatch,
        )

    def branches(self) -> ContextOptions:
        """Return the options of the context for branches, where they have one of their own."""
        return self._options(
            n_ctx=self.n_ctx + BRANCH_CELLS,
            n_seq_max=1 + self.limits.in_all + _GREEDY_PLACES,
            n_ubatch=CHUNK_ROWS,
            flash_attn=False,
        )

    def writing(self) -> ContextOptions:
        """Return the options of the context for explanations: a cache of its own for each."""
        cells = -(-self.n_ctx // _CELL_STEP) * _CELL_STEP
        # two streams at least: no row is decoded alone
        n_streams = max(self.n_streams, 2)
        return self._options(
            n_ctx=n_streams * cells,
            n_seq_max=n_streams,
            kv_unified=False,
            n_batch=_SMALL_CALL_ROWS,
            n_ubatch=max(CHUNK_ROWS, n_streams),  # one row a stream must not be split
            flash_attn=self.engine.flash_attn and not self.splits_calls,
        )

    def all(self, *, writes_reasons: bool) -> list[ContextOptions]:
        """Return the options of all contexts that are made."""
        branches = [self.branches()] if self.splits_calls else []
        return [self.prompts(), *branches, *([self.writing()] if writes_reasons else [])]

    def _options(
        self,
        *,
        n_ctx: int,
        n_seq_max: int,
        n_ubatch: int,
        kv_unified: bool = True,
        n_batch: int | None = None,
        flash_attn: bool | None = None,
    ) -> ContextOptions:
        engine = self.engine
        return ContextOptions(
            n_ctx=n_ctx,
            n_seq_max=n_seq_max,
            kv_unified=kv_unified,
            n_batch=n_batch,
            n_ubatch=n_ubatch,
            n_threads=engine.n_threads,
            type_k=engine.type_k,
            type_v=engine.type_v,
            flash_attn=engine.flash_attn if flash_attn is None else flash_attn,
        )


class Contexts:
    """The contexts of a model that outlives this object; the one for explanations is made when needed."""

    def __init__(self, model: LlamaModel, layout: Layout, *, ban_end: bool = False) -> None:
        """Make the context for prompts; `ban_end` is the writer's.

        Raises:
            ModelError: the memory does not suffice, or llama.cpp refuses the options.
        """
        self._model, self._layout, self._ban_end = model, layout, ban_end
        self.can_drop_tails = layout.can_drop_tails
        self.n_prompts = layout.n_prompts
        self.n_ctx = layout.n_ctx
        self._moves_work = False
        self._writer: Writer | None = None
        self.prompts, self.branches = self._open_prompts()

    @property
    def writer(self) -> Writer:
        """The writer of explanations.

        Raises:
            ModelError: the memory does not suffice.
        """
        if self._writer is None:
            context = LlamaContext(self._model, self._layout.writing())
            layout = self._state_layout(context.n_seq_max)
            self._writer = Writer(context, self._model.tokenizer, layout, ban_end=self._ban_end)
        return self._writer

    def end_of_written(
        self, stream: int, units: Units, tokens: Sequence[int], added: Sequence[int] = ()
    ) -> Evaluated:
        """Return the end of a prompt and the first tokens of the text that was written from it in a stream.

        `added` are tokens put after them, which the judge did not write.

        It is ready for branches: copied from the writer's context where that can be, else evaluated anew
        with the text as a unit of its own. Measured with SmolLM2-135M on two cores, prompts of 400 tokens and
        texts of 200, 8 at once: evaluating anew is 41% of all processor time, copying 1%.

        Raises:
            EngineError: a call failed.
        """
        if not tokens:
            return self.prompts.evaluate([[*units, added] if added else units])[0]
        n_written = sum(map(len, units)) + len(tokens)
        text = WrittenText(
            n_tokens=n_written + len(added),
            last_tokens=(tokens[-1], *added),
            copy_state=lambda: self.writer.state_of(stream, n_written - 1),
        )
        return self.branches.take_over(text) or self.prompts.evaluate([[*units, [*tokens, *added]]])[0]

    def _state_layout(self, n_streams: int) -> StateLayout:
        return StateLayout(
            n_streams=n_streams,
            n_caches=self._model.n_caches,
            by_dimension=self._layout.splits_calls or not self._layout.engine.flash_attn,
        )

    def _open_prompts(self) -> tuple[PromptCache, BranchPlace]:
        context = LlamaContext(self._model, self._layout.prompts())
        if self._layout.splits_calls:
            small = LlamaContext(self._model, self._layout.branches())
            apart = Apart(context, small, self._state_layout(1))
            if self._moves_work or apart.works():
                self._moves_work = True  # a failure while they are made anew is another matter
                return PathCache(context), apart
            small.close()
            context.close()
            self._layout = replace(self._layout, splits_calls=False)
            return self._open_prompts()
        cache = PathCache(context) if self.n_prompts == 1 else WindowCache(context, self.n_prompts)
        return cache, Beside(context, self.n_prompts)

    def _close_prompts(self) -> None:
        self.branches.context.close()
        self.prompts.context.close()

    def renew_prompts(self) -> None:
        """Make the contexts for prompts and branches anew, after a call failed in one."""
        self._close_prompts()
        self.prompts, self.branches = self._open_prompts()

    def renew_writing(self) -> None:
        """Let the context for explanations be made anew, after a call failed in it."""
        if self._writer is not None:
            self._writer.context.close()
            self._writer = None

    def forget(self) -> None:
        """Empty all caches."""
        self.prompts.forget()
        self.branches.context.clear()
        self.forget_texts()

    def forget_texts(self) -> None:
        """Drop all texts in the making."""
        if self._writer is not None:
            self._writer.forget()

    def close(self) -> None:
        """Free all contexts."""
        self._close_prompts()
        self.renew_writing()
