"""A call and its further tries: adapted, paced, counted, and given up at the right moment."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from threading import Event

from judgecli.backends.openai.client import Client
from judgecli.backends.openai.pacing import Circuit, Pace, Patience, pause
from judgecli.backends.openai.parameters import Call, Parameters
from judgecli.backends.openai.reply import Piece, Reply
from judgecli.backends.openai.trouble import Remedy, Trouble
from judgecli.errors import CallsSpentError, ModelError
from judgecli.types import CallBudget


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of a call: a reply, or the sentence that says why there is none; and the HTTP calls made."""

    reply: Reply | None = None
    error: str | None = None
    n_calls: int = 0


@dataclass(slots=True)
class _Tries:
    """The tries of one call so far."""

    n_calls: int = 0
    n_failed: int = 0
    waited_s: float = 0.0
    trouble: Trouble | None = None


class Caller:
    """Makes the calls of all threads."""

    def __init__(
        self, client: Client, parameters: Parameters, *, budget: CallBudget, patience: Patience
    ) -> None:
        """Take the client, and how often and how patiently it may be asked."""
        self._client = client
        self._parameters = parameters
        self._patience = patience
        self._budget = budget
        self._pace = Pace()
        self._circuit = Circuit()

    def ask(self, call: Call, halted: Event) -> Outcome:
        """Make a call until there is a reply, or no hope of one.

        Raises:
            CallsSpentError: not even its first try is allowed any more.
            ModelError: no call can succeed: the key, the model or the endpoint is wrong.
            HaltedError: the run ends meanwhile.
        """
        tries = _Tries()
        while True:
            self._pace.wait(halted)
            if not self._budget.take():
                return self._spent(tries)
            body = self._parameters.body(call)
            found = self._client.ask(call.asked.api, body)
            tries.n_calls += 1
            if isinstance(found, Reply):
                self._circuit.succeed()
                if found.only_thought and self._parameters.allow_thinking(body, call):
                    continue
                return Outcome(reply=found, n_calls=tries.n_calls)
            if self._parameters.adapt(found, body):
                continue
            if self._gives_up(tries, found, halted):
                return Outcome(error=found.message, n_calls=tries.n_calls)

    def stream(self, call: Call, halted: Event) -> Generator[Piece]:
        """Make a call whose text comes in pieces; it is tried again only before the first one.

        Raises:
            CallsSpentError: it is not allowed any more.
            ModelError: the endpoint cannot be asked, or breaks off.
        """
        tries = _Tries()
        while True:
            self._pace.wait(halted)
            if not self._budget.take():
                raise CallsSpentError(self._spent(tries).error or self._all_spent)
            body = self._parameters.body(call)
            found = self._client.stream(call.asked.api, body)
            tries.n_calls += 1
            if not isinstance(found, Trouble):
                self._circuit.succeed()
                yield from found
                return
            if not self._parameters.adapt(found, body) and self._gives_up(tries, found, halted):
                raise ModelError(found.message)

    def _spent(self, tries: _Tries) -> Outcome:
        if tries.trouble is None and tries.n_calls == 0:
            raise CallsSpentError(self._all_spent)
        before = f"{tries.trouble.message}; " if tries.trouble else ""
        return Outcome(error=f"{before}{self._all_spent}", n_calls=tries.n_calls)

    @property
    def _all_spent(self) -> str:
        n = self._budget.max_calls
        return "the one call of --max-calls is made" if n == 1 else f"all {n} calls of --max-calls are made"

    def _gives_up(self, tries: _Tries, trouble: Trouble, halted: Event) -> bool:
        """Wait for the next try; return True where there should be none.

        Raises:
            ModelError: no other request would fare better.
        """
        tries.n_failed += 1
        tries.trouble = trouble
        if trouble.remedy is Remedy.USER:
            raise ModelError(trouble.message)
        if trouble.remedy is Remedy.NEXT:
            return True
        wait_s = self._patience.wait_s(tries.n_failed, trouble.retry_after_s)
        is_last = trouble.remedy is Remedy.LATER or tries.n_failed >= self._n_tries
        if is_last or tries.waited_s + wait_s > self._patience.all_waits_s:
            self._check_circuit(trouble)
            return True
        tries.waited_s += wait_s
        if trouble.status == 429:
            self._pace.hold(wait_s)
        else:
            pause(wait_s, halted)
        return False

    @property
    def _n_tries(self) -> int:
        return self._patience.n_tries if self._circuit.has_answered else self._patience.n_first_tries

    def _check_circuit(self, trouble: Trouble) -> None:
        n = self._circuit.fail()
        if n >= self._patience.n_in_a_row:
            message = f"{n} requests in a row had no reply; the last time, {trouble.message}"
            raise ModelError(f"{message}; the same command goes on when the endpoint works")
