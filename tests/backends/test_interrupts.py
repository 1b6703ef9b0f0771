"""llama-cpp-python #599: an interrupt stops an evaluation soon, and nothing is swallowed or left broken."""

import os
import signal
import threading
import time

import pytest

from judgecli.backends.llama_cpp.engine import Engine
from judgecli.backends.llama_cpp.interrupts import Interrupts
from tests.backends.asking import SHOTS, judge_one, request


def interrupt_after(seconds: float) -> None:
    threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT)).start()


def test_an_interrupt_is_raised_when_the_call_has_returned() -> None:
    interrupts, steps = Interrupts(), []

    def call() -> None:
        with interrupts.deferred():
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.01)
            steps.append(interrupts.arrived)

    with pytest.raises(KeyboardInterrupt):
        call()
    assert steps == [True]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    with interrupts.deferred():
        assert not interrupts.arrived


def test_ignored_interrupts_stay_ignored() -> None:
    previous = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with Interrupts().deferred():
            os.kill(os.getpid(), signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, previous)


def test_other_threads_are_left_alone() -> None:
    arrived = []

    def call() -> None:
        with Interrupts().deferred():
            arrived.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=call)
    thread.start()
    thread.join()
    assert arrived == [signal.default_int_handler]


@pytest.mark.demo
@pytest.mark.parametrize("seconds", [0.05, 0.1, 0.2, 0.3])
def test_llama_cpp_python_599_a_long_evaluation_stops_soon(engine: Engine, seconds: float) -> None:
    expected = judge_one(engine, request(f"{SHOTS}Scores:")).distribution
    # about 1,500 tokens, seconds of work; with the same end, or its verdicts would be tokenized first
    long = request("It rains. " * 480 + f"{SHOTS}Scores:")
    interrupt_after(seconds)
    started = time.perf_counter()
    with pytest.raises(KeyboardInterrupt):
        judge_one(engine, long)
    assert time.perf_counter() - started < 3
    assert judge_one(engine, request(f"{SHOTS}Scores:")).distribution == expected
