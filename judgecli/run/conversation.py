"""A conversation with the judge about one judgment: the judged prompt, what it wrote, and questions.

The prompt is made again from the run file and must be the one that was judged; the weights must be those that
judged, unless another judge is asked for.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path

from judgecli import prompts
from judgecli.errors import DataError, ModelError, UsageError
from judgecli.prompts import FollowUp, Wrapper
from judgecli.run.judge_choice import ChosenJudge, chosen_judge
from judgecli.run.judged import Judged, find_judgment, judged_prompt
from judgecli.run.options import RunOptions
from judgecli.run.standing import Whose
from judgecli.types import Backend, EngineOptions, Prompt, Tokenizer, WrittenPiece

INTERRUPTED = "interrupted"
_ROOM_TOKENS = 2048  # for questions and answers, where the context is not given
_CONTEXT_STEP = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationOptions:
    """Which judgment is talked about, with whom, and how long answers may be.

    `order` None is the first order that has a judgment, and `judge` None the one whose verdict stands, where
    a stronger one was asked. `model` None is the judge of the run; `prompt`,
    `rubric` and `shots` say where the run's own files are now, `template` another chat template. With
    `backend` given, that one is asked and no weights are loaded.
    """

    run_file: Path
    item_id: str
    order: str | None = None
    judge: Whose | None = None
    model: str | None = None
    prompt: str | None = None
    template: str | None = None
    rubric: str | None = None
    shots: str | None = None
    max_tokens: int = 512
    n_ctx: int | None = None
    engine: EngineOptions = EngineOptions()
    verbose: bool = False
    backend: Backend | None = None

    def __post_init__(self) -> None:
        """Refuse a number that means nothing.

        Raises:
            UsageError: an answer of no tokens.
        """
        if self.max_tokens < 1:
            raise UsageError(f"--max-tokens must be at least 1, not {self.max_tokens}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """A question and its answer. `finish_reason` is "stop", "length" or "interrupted"."""

    question: str
    answer: str
    finish_reason: str
    n_prompt_tokens: int


@dataclass(slots=True, kw_only=True)
class Conversation:
    """A conversation that goes on; `exchanges` are what was asked and answered so far.

    `judge` is the model's name, `is_other` says that it is not the one that judged; `n_ctx` is the context in
    tokens, `n_ctx_limit` the longest that there could be, None if unknown. `counts_words`: the judge is
    behind an endpoint, so that words stand for its tokens.
    """

    judged: Judged
    judge: str
    is_other: bool
    n_ctx: int
    n_ctx_limit: int | None
    max_tokens: int
    counts_words: bool = False
    exchanges: list[Exchange] = field(default_factory=list)
    _prompt: Prompt
    _follow_up: FollowUp
    _tokenizer: Tokenizer
    _backend: Backend

    def n_tokens(self, question: str = "") -> int:
        """Return the tokens of the conversation with a further question."""
        return _n_tokens(self._tokenizer, self._with(question))

    def ask(self, question: str) -> Generator[str]:
        """Ask, and yield the answer as it is written. One that is left half-way is kept as far as it came.

        Raises:
            UsageError: the question is empty.
            ModelError: the conversation does not fit into the context any more, or the judge fails.
        """
        if not question.strip():
            raise UsageError("the question is empty; ask something")
        n_tokens = self.n_tokens(question)
        if n_tokens >= self.n_ctx:
            raise ModelError(self.full(n_tokens))
        return self._answer(question, n_tokens)

    def full(self, n_tokens: int) -> str:
        """Return the sentence for a conversation that does not fit, with the way out."""
        sizes = f"the conversation has {n_tokens:,} tokens with this question and the context {self.n_ctx:,}"
        anew = "begin a new one (a lower --max-tokens leaves room for more questions)"
        ways = [anew] if self.exchanges else ["ask something shorter"]
        if self.n_ctx_limit is None or self.n_ctx < self.n_ctx_limit:
            up_to = "" if self.n_ctx_limit is None else f" (up to {self.n_ctx_limit:,})"
            ways.append(f"take a larger --n-ctx{up_to}")
        return f"{sizes}, so it does not fit; {', or '.join(ways)}"

    def _with(self, question: str) -> Prompt:
        earlier = [(one.question, one.answer) for one in self.exchanges]
        return self._follow_up.prompt(self._prompt, self.judged.judgment.text, earlier, question)

    def _answer(self, question: str, n_tokens: int) -> Generator[str]:
        answer, blanks, finish_reason = "", "", INTERRUPTED
        try:
            with closing(self._written(question, n_tokens)) as pieces:
                for piece in pieces:
                    finish_reason = piece.finish_reason or finish_reason
                    # blanks wait for what follows them: none begin an answer, and none end it
                    text = blanks + piece.text if answer else piece.text.lstrip()
                    words = text.rstrip()
                    blanks = text[len(words) :]
                    answer += words
                    if words:
                        yield words
        finally:
            if answer or finish_reason != INTERRUPTED:
                self.exchanges.append(
                    Exchange(
                        question=question,
                        answer=answer,
                        finish_reason=finish_reason,
                        n_prompt_tokens=n_tokens,
                    )
                )

    def _written(self, question: str, n_tokens: int) -> Generator[WrittenPiece]:
        # at most what the context has room for: an answer that fills it is cut, not refused
        room = min(self.max_tokens, self.n_ctx - n_tokens)
        yield from self._backend.write(self._with(question), max_tokens=room, stop=self._follow_up.stop)


@contextmanager
def open_conversation(options: ConversationOptions) -> Iterator[Conversation]:
    """Find the judgment, make its prompt again, load the judge, and free it at the end.

    Raises:
        DataError: there is no such judgment, or its prompt cannot be made again; the sentence says why.
        ModelError: the judge is missing, is not the one that judged, or does not load.
        UsageError: options that contradict each other or the run.
    """
    judged = find_judgment(options.run_file, options.item_id, options.order, options.judge)
    with ExitStack() as stack:
        judge, is_other = _judge(stack, options, judged)
        prompt = judged_prompt(judged, judge, is_other=is_other)
        tokenizer = judge.tokenizer
        follow_up = prompts.follow_up(judge.family, judge.template, end_of_text=tokenizer.end_of_text)
        begun = follow_up.prompt(prompt, judged.judgment.text, (), "")
        n_tokens = _n_tokens(tokenizer, begun)
        n_ctx = _context(options, judge, n_tokens)
        _check_room(judge, n_tokens, n_ctx)
        yield Conversation(
            judged=judged,
            judge=judge.recorded()["name"],
            is_other=is_other,
            n_ctx=n_ctx,
            n_ctx_limit=judge.n_ctx_limit,
            max_tokens=options.max_tokens,
            counts_words=hasattr(judge.module, "show_sent"),
            _prompt=prompt,
            _follow_up=follow_up,
            _tokenizer=tokenizer,
            _backend=stack.enter_context(_load(options, judge, n_ctx)),
        )


def _judge(stack: ExitStack, options: ConversationOptions, judged: Judged) -> tuple[ChosenJudge, bool]:
    """Return the judge to talk to, without its weights, and whether it is another than the one that judged.

    Raises:
        ModelError: it is missing, or another one and nobody asked for that.
    """
    try:
        judge = stack.enter_context(chosen_judge(_as_run(options, judged)))
    except ModelError as error:
        if options.model is not None:
            raise
        raise ModelError(f"{error}; --model names the run's judge elsewhere, or another one") from error
    is_other = _is_other(options, judged, judge)
    if is_other and options.template is None and judge.family.wrapper is Wrapper.CHAT:
        return replace(judge, template=judge.tokenizer.chat_template), is_other
    return judge, is_other


def _n_tokens(tokenizer: Tokenizer, prompt: Prompt) -> int:
    return sum(map(len, tokenizer.encode(prompt)))


def _as_run(options: ConversationOptions, judged: Judged) -> RunOptions:
    """Return the options with which the run would be asked again."""
    model = options.model or judged.recorded_text("model", "name")
    if model is None:
        raise DataError(f"{options.run_file}: its header names no judge; name one with --model")
    return RunOptions(
        model=model,
        prompt=options.prompt or judged.prompt_family(),
        template=options.template or judged.recorded_text("prompt", "template"),
        rubric=options.rubric or judged.prompt_file("rubric"),
        shots=options.shots or judged.prompt_file("shots"),
        aspect=judged.recorded_text("prompt", "aspect"),
        cot=bool(judged.recorded("prompt", "cot")),
        reference_block=bool(judged.recorded("prompt", "reference_block")),
        n_ctx=options.n_ctx,
        engine=options.engine,
        verbose=options.verbose,
        backend=options.backend,
    )


def _is_other(options: ConversationOptions, judged: Judged, judge: ChosenJudge) -> bool:
    """Whether other weights are asked than those that judged.

    Raises:
        ModelError: they are, and nobody asked for them.
    """
    name, judging = judged.recorded("model", "name"), judged.recorded("model", "sha256")
    here = judge.recorded()
    if judging == here["sha256"]:  # without weights here there is only a name
        return judging is None and options.model is not None and options.model != name
    if options.model is None and options.backend is None:
        message = f"{judge.path}: its SHA-256 is {here['sha256']}, and {name} judged with {judging}"
        raise ModelError(f"{message}; name those weights with --model, or another judge to talk to instead")
    return True


def _context(options: ConversationOptions, judge: ChosenJudge, n_tokens: int) -> int:
    """Return the context in tokens: as asked for, else room for a conversation, as far as the model has it.

    Raises:
        UsageError: --n-ctx is more than the model was trained for.
    """
    limit = judge.n_ctx_limit
    if options.n_ctx is not None:
        if limit is not None and options.n_ctx > limit:
            message = (
                f"--n-ctx {options.n_ctx} is more than the {limit} tokens that {judge.name} was trained for"
            )
            raise UsageError(f"{message}; leave it out, or take at most {limit}")
        return options.n_ctx
    rounded = -(-(n_tokens + _ROOM_TOKENS) // _CONTEXT_STEP) * _CONTEXT_STEP
    return rounded if limit is None else min(rounded, limit)


def _check_room(judge: ChosenJudge, n_tokens: int, n_ctx: int) -> None:
    """Refuse a judgment about which nothing can be asked, before the weights are loaded.

    Raises:
        ModelError: the context holds no more than what is talked about.
    """
    if n_tokens < n_ctx:
        return
    message = f"the judged prompt and what was written have {n_tokens:,} tokens and the context {n_ctx:,}"
    limit = judge.n_ctx_limit
    is_most = limit is not None and n_ctx >= limit
    way = "name a judge with a longer one with --model" if is_most else "take a larger --n-ctx"
    raise ModelError(f"{message}, so there is no room for a question; {way}")


def _load(options: ConversationOptions, judge: ChosenJudge, n_ctx: int) -> AbstractContextManager[Backend]:
    if options.backend is not None:
        return nullcontext(options.backend)
    # one text at a time; prompts one at a time too, so that what the next one begins with is kept
    engine = replace(options.engine, parallel=1, prompts_per_call=1)
    backend: AbstractContextManager[Backend] = judge.module.open_backend(
        judge.path, n_ctx=n_ctx, engine=engine, writes_reasons=True, verbose=options.verbose
    )
    return backend
