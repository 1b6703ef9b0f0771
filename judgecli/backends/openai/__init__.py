"""A judge behind an OpenAI-compatible endpoint: `--model openai:NAME`.

OPENAI_BASE_URL says where it is and OPENAI_API_KEY holds the key, which is in no message, file or setting.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from types import TracebackType
from typing import Any, Self

from judgecli.backends.openai import writing
from judgecli.backends.openai.answering import answer
from judgecli.backends.openai.caller import Caller
from judgecli.backends.openai.client import Client, check_installed
from judgecli.backends.openai.environment import endpoint, shown_url
from judgecli.backends.openai.messages import WordCounter, show_sent
from judgecli.backends.openai.pacing import Patience
from judgecli.backends.openai.parameters import SEED, Parameters
from judgecli.backends.openai.workers import Workers
from judgecli.types import CallBudget, Completion, EngineOptions, Prompt, Request, WrittenPiece

__all__ = ["OpenAIBackend", "describe", "open_backend", "open_tokenizer", "show_sent"]

_PARALLEL = 8
_PATIENCE = Patience()


@contextmanager
def open_tokenizer(path: Path) -> Iterator[WordCounter]:  # noqa: ARG001 - a path is what every backend is given
    """Open a counter of words; the endpoint is not asked.

    Raises:
        ModelError: the openai package is not installed.
    """
    check_installed()
    yield WordCounter()


def describe(*, path: Path, engine: EngineOptions = EngineOptions(), **_unused: object) -> dict[str, Any]:
    """Return what a run header records of an endpoint, without asking it.

    Nothing that could be a credential is in there. `exact` is False: what an endpoint replies may depend on
    what else it is asked at the time.

    Raises:
        ModelError: OPENAI_BASE_URL is no address.
    """
    return {
        "name": "openai",
        "device": "endpoint",
        "base_url": shown_url(),
        "model": path.as_posix(),
        "seed": SEED,
        "exact": False,
        "price": list(engine.price) or None,
    }


class OpenAIBackend:
    """A judge behind an endpoint; a context manager that closes the connections."""

    def __init__(
        self,
        path: Path,
        *,
        engine: EngineOptions = EngineOptions(),
        budget: CallBudget | None = None,
        patience: Patience = _PATIENCE,
        **_unused: object,
    ) -> None:
        """Take the model's name as a path; nothing is asked yet. An endpoint has its own context length.

        `budget` are the calls that are left where another judge may make some of them too.

        Raises:
            ModelError: the openai package is missing, or the environment names no endpoint or no key, or a
                proxy or certificates that cannot be used.
        """
        model = path.as_posix()
        self._client = Client(endpoint(), model, timeout_s=engine.timeout_s)
        self._parameters = Parameters(model)
        budget = budget or CallBudget(engine.max_calls)
        self._caller = Caller(self._client, self._parameters, budget=budget, patience=patience)
        self._n_threads = engine.parallel or _PARALLEL
        self._described = describe(path=path, engine=engine)

    @property
    def settings(self) -> Mapping[str, Any]:
        """What `describe` says, and what was learnt since: the number of `logprobs` the server gives."""
        return {**self._described, "logprobs": self._parameters.n_logprobs}

    def judge(self, requests: Sequence[Request]) -> Iterator[Completion]:
        """Ask about many requests at once, yielding completions as they finish.

        Raises:
            CallsSpentError: all allowed calls are made; requests without an answer were not asked.
            ModelError: the key, the model or the endpoint is wrong; no further request is sent.
        """
        yield from Workers(requests, self._answer, self._n_threads).completions()

    def _answer(self, request: Request, halted: Event) -> Completion:
        return answer(request, self._caller, halted)

    def write(self, prompt: Prompt, *, max_tokens: int, stop: Sequence[str] = ()) -> Iterator[WrittenPiece]:
        """Write the answer to a prompt, yielding pieces as they come, and last how it ended.

        Raises:
            CallsSpentError: no call is left.
            ModelError: the endpoint cannot be asked, or breaks off in the middle.
        """
        return writing.write(prompt, self._caller, max_tokens=max_tokens, stop=stop)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._client.close()


open_backend = OpenAIBackend
