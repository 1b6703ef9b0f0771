"""A judge that is asked only what a cache does not know of it, and what is shared for that."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, suppress
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from judgecli.cache import AskedJudge, CompletionCache, completion_key, completion_text, read_completion_text
from judgecli.errors import CacheError
from judgecli.registry.hashes import judge_cache_folder
from judgecli.run.fitting import shown_item
from judgecli.run.planning import Plan
from judgecli.types import Backend, Completion, Prompt, Request, WrittenPiece
from judgecli.verdicts import read_completion

Load = Callable[[], AbstractContextManager[Backend]]


@dataclass(frozen=True, slots=True, kw_only=True)
class FromCache:
    """How many judgments of those that a judge was to be asked for the cache had."""

    judge: str
    n_found: int
    n_total: int


ObserveCache = Callable[[FromCache], None]


def cache_folder(cache: bool | str | PathLike[str]) -> Path | None:
    """Return the folder of a cache: judgecli's own for True, None for False.

    Raises:
        CacheError: judgecli's own would be in a home folder, and there is none.
    """
    if not isinstance(cache, bool):
        return Path(os.path.expanduser(cache))  # noqa: PTH111 - raises without a home
    folder = judge_cache_folder() if cache else None
    if folder is not None and folder.parts[:1] == ("~",):
        raise CacheError("no home folder to keep a cache in; name a folder with --cache-dir")
    return folder


class SharedCache:
    """A cache that is given up, with one warning, at the first trouble with it."""

    def __init__(self, cache: bool | str | PathLike[str]) -> None:
        self._cache: CompletionCache | None = None
        try:
            folder = cache_folder(cache)
            self._cache = None if folder is None else CompletionCache(folder)
        except CacheError as error:
            self._give_up(error)

    @property
    def is_open(self) -> bool:
        """Whether it can be used, as far as is known."""
        return self._cache is not None

    def find(self, keys: Sequence[bytes]) -> Iterator[tuple[bytes, str]]:
        """Yield the keys that are there with their completions."""
        try:
            if self._cache is not None:
                yield from self._cache.find(keys)
        except CacheError as error:
            self._give_up(error)

    def keep(self, key: bytes, judge: AskedJudge, completion: str) -> None:
        """Keep a judge's completion under a key."""
        try:
            if self._cache is not None:
                self._cache.keep(key, judge, completion)
        except CacheError as error:
            self._give_up(error)

    def _give_up(self, error: CacheError) -> None:
        self.close()
        warnings.warn(f"going on without a cache: {error}", RuntimeWarning, stacklevel=2)

    def close(self) -> None:
        """Close the file, if it is open."""
        if self._cache is not None:
            self._cache.close()
            self._cache = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()


class KnownCompletions:
    """What a cache knows of one judge, for the requests of one plan."""

    def __init__(self, cache: SharedCache, judge: AskedJudge, plan: Plan, min_mass: float) -> None:
        self._cache = cache
        self.judge = judge
        self._rule = plan.task.rule
        self._planned = {one.item.id: one for one in plan.planned}
        self._min_mass = min_mass

    def find(self, requests: Sequence[Request]) -> Iterator[Completion]:
        """Yield the completions that are there and read as judgments."""
        asked: dict[bytes, list[Request]] = {}
        for request in requests:
            asked.setdefault(completion_key(self.judge, request, self._rule), []).append(request)
        for key, text in self._cache.find(tuple(asked)):
            for request in asked[key]:
                completion = _read(text, request)
                if completion is not None and self._is_judgment(completion):
                    yield completion

    def keep(self, completion: Completion) -> None:
        """Keep a completion, unless it is a failure."""
        if not self._is_judgment(completion):
            return
        key = completion_key(self.judge, completion.request, self._rule)
        with suppress(ValueError):  # a probability beside the verdict's that is no number
            self._cache.keep(key, self.judge, completion_text(completion))

    def _is_judgment(self, completion: Completion) -> bool:
        item = shown_item(self._planned[completion.request.item_id])
        return read_completion(completion, item, rule=self._rule, min_mass=self._min_mass).failure is None


def _read(text: str, request: Request) -> Completion | None:
    """Return a kept completion; None where the row is damaged, which is asked and kept anew."""
    try:
        return read_completion_text(text, request)
    except ValueError:
        return None


class CachedJudge:
    """A judge that is loaded once something is left to ask it; what it says is kept.

    `first` are the requests that it will be asked, where that is known: if the cache lacks any, the judge is
    loaded at once, so that one that does not load leaves a run as it was.
    """

    def __init__(
        self,
        load: Load,
        known: KnownCompletions,
        observe: ObserveCache,
        first: Sequence[Request] | None = None,
    ) -> None:
        self._load = load
        self._known = known
        self._observe = observe
        self._first = first
        self._loaded: Backend | None = None
        self._resources = ExitStack()

    @property
    def settings(self) -> Mapping[str, Any]:
        """What the judge says of itself."""
        return self._judge().settings

    def judge(self, requests: Sequence[Request]) -> Iterator[Completion]:
        """Yield what is known, then what the judge says to the rest."""
        found = set()
        for completion in self._known.find(requests):
            found.add(id(completion.request))
            yield completion
        if self._first is None:
            self._tell(len(found), len(requests))
        left = [request for request in requests if id(request) not in found]
        if not left:
            return
        for completion in self._judge().judge(left):
            self._known.keep(completion)
            yield completion

    def write(self, prompt: Prompt, *, max_tokens: int, stop: Sequence[str] = ()) -> Iterator[WrittenPiece]:
        """Write on from a prompt's end, as the judge does; nothing of it is kept."""
        return self._judge().write(prompt, max_tokens=max_tokens, stop=stop)

    def _judge(self) -> Backend:
        if self._loaded is None:
            self._loaded = self._resources.enter_context(self._load())
        return self._loaded

    def _tell(self, n_found: int, n_total: int) -> None:
        self._observe(FromCache(judge=self._known.judge.name, n_found=n_found, n_total=n_total))

    def __enter__(self) -> Self:
        if self._first is not None:
            n_found = sum(1 for _ in self._known.find(self._first))
            self._tell(n_found, len(self._first))
            if n_found < len(self._first):
                self._judge()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._resources.close()
