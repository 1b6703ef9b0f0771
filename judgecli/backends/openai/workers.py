"""Many requests at once: threads that each ask one after the other, and one place that hears of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from queue import Empty, SimpleQueue
from threading import Event, Lock, Thread

from judgecli.backends.openai.pacing import HaltedError
from judgecli.errors import CallsSpentError
from judgecli.types import Completion, Request

_Answer = Callable[[Request, Event], Completion]
_POLL_S = 0.2  # Windows notices Ctrl-C between waits only


class Workers:
    """Threads at work on requests.

    They are daemons: one that waits for an endpoint must not keep an interrupted program from ending.
    """

    def __init__(self, requests: Sequence[Request], answer: _Answer, n_threads: int) -> None:
        """Take the work."""
        self._waiting = iter(requests)
        self._lock = Lock()
        self._answer = answer
        self._n_threads = min(n_threads, len(requests))
        self._done: SimpleQueue[Completion | BaseException | None] = SimpleQueue()
        self._halted = Event()

    def completions(self) -> Iterator[Completion]:
        """Yield what comes back; at the end, or when it is left early, nobody asks any further.

        Raises:
            CallsSpentError: all allowed calls are made; what was in flight has been yielded.
            ModelError: the endpoint cannot be asked; what had come back has been yielded.
        """
        for _ in range(self._n_threads):
            Thread(target=self._work, daemon=True).start()
        failure: BaseException | None = None
        n_working = self._n_threads
        try:
            while n_working > 0 or not self._done.empty():
                one = self._next()
                if isinstance(one, Completion):
                    yield one
                elif one is None:
                    n_working -= 1
                else:
                    failure = failure or one
                    if not isinstance(one, CallsSpentError):
                        n_working = 0
        finally:
            self._halted.set()
        if failure is not None:
            raise failure

    def _next(self) -> Completion | BaseException | None:
        while True:
            try:
                return self._done.get(timeout=_POLL_S)
            except Empty:
                continue

    def _work(self) -> None:
        try:
            while (request := self._take()) is not None:
                self._done.put(self._answer(request, self._halted))
        except HaltedError:
            pass
        except BaseException as error:  # noqa: BLE001 - it is raised again where the completions are taken
            self._done.put(error)
        finally:
            self._done.put(None)

    def _take(self) -> Request | None:
        with self._lock:
            return None if self._halted.is_set() else next(self._waiting, None)
