"""llama.cpp's own server, as the package xllamacpp embeds it, in a process of its own."""

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import Any

SLOTS = 4


class Server:
    """A server with four slots; every prompt is sent as token ids, and no text may end early."""

    def __init__(self, weights: Path, n_ctx: int, n_threads: int) -> None:
        self._job = {"weights": str(weights), "n_ctx": n_ctx, "n_threads": n_threads}
        self._process: subprocess.Popen[str] | None = None

    @staticmethod
    def is_installed() -> bool:
        return find_spec("xllamacpp") is not None

    def start(self) -> None:
        """Start it anew, and wait until it has loaded its model."""
        self.stop()
        self._process = subprocess.Popen(
            [sys.executable, __file__, json.dumps(self._job)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={**os.environ, "GOMP_SPINCOUNT": "1000"},  # as the engine sets it
        )
        self._answer()

    def write(self, prompts: list[list[int]], n_tokens: int) -> None:
        """Write so many tokens from each prompt, as many at once as there are slots."""
        assert self._process is not None
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"prompts": prompts, "n_tokens": n_tokens}) + "\n")
        self._process.stdin.flush()
        n_written = self._answer()
        assert n_written == n_tokens * len(prompts), f"the server wrote {n_written} tokens"

    def _answer(self) -> int:
        assert self._process is not None
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.startswith("done "):
                return int(line.split()[1])
        raise RuntimeError(f"the server ended with {self._process.wait()}")

    def stop(self) -> None:
        """End its process, if there is one."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()


def serve(job: dict[str, Any]) -> None:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = job["weights"]
    params.n_parallel = SLOTS
    params.n_ctx = SLOTS * job["n_ctx"]
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = job["n_threads"]
    params.verbosity = -1
    server = xllamacpp.Server(params)
    print("done 0", flush=True)

    def complete(request: tuple[list[int], int]) -> int:
        ids, n_tokens = request
        answer = server.handle_completions(
            {"prompt": ids, "n_predict": n_tokens, "temperature": 0.0, "ignore_eos": True}
        )
        return int(answer["usage"]["completion_tokens"])

    for line in sys.stdin:
        asked = json.loads(line)
        with ThreadPoolExecutor(2 * SLOTS) as threads:  # a slot that is free has a request waiting
            written = threads.map(complete, [(ids, asked["n_tokens"]) for ids in asked["prompts"]])
            print(f"done {sum(written)}", flush=True)


if __name__ == "__main__":
    serve(json.loads(sys.argv[1]))
