"""Asking a judge only what it was not asked before: its completions are kept across runs.

Served is what reads as a judgment by the rules of this run; what fails by them is asked. A cache that cannot
be used is a warning, and the run goes on without it.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any

from judgecli.cache import FILE_NAME, AskedJudge, CacheInfo, Cleared, CompletionCache
from judgecli.errors import CacheError
from judgecli.ledger import judge_settings
from judgecli.run.cached_judge import (
    CachedJudge,
    KnownCompletions,
    ObserveCache,
    SharedCache,
    cache_folder,
)
from judgecli.run.execution import PreparedRun
from judgecli.run.planning import Plan, PlannedRequest, count_new_tokens
from judgecli.types.paths import is_file


def cache_info(folder: str | None) -> CacheInfo:
    """Return what the cache of a folder holds, judgecli's own for None; nothing where there is none yet.

    Raises:
        CacheError: it cannot be used.
    """
    place = _place(folder)
    if not is_file(place / FILE_NAME):
        return CacheInfo(path=place / FILE_NAME)
    with CompletionCache(place) as cache:
        return cache.info()


def clear_cache(folder: str | None, *, older_than_days: int | None = None) -> Cleared:
    """Remove what a cache holds, or what was not used for more than so many days; return what went.

    Raises:
        CacheError: it cannot be used.
    """
    place = _place(folder)
    if not is_file(place / FILE_NAME):
        return Cleared(path=place / FILE_NAME)
    with CompletionCache(place) as cache:
        return cache.clear(older_than_days=older_than_days)


def _place(folder: str | None) -> Path:
    """Return the folder of a cache that is asked about, whether or not it is there."""
    return cache_folder(True if folder is None else folder) or Path()


@contextmanager
def with_cache(run: PreparedRun, observe: ObserveCache = lambda _: None) -> Iterator[PreparedRun]:
    """Yield a run whose judges are asked only what the cache of its options does not have."""
    if not run.options.cache:
        yield run
        return
    with SharedCache(run.options.cache) as cache:
        yield _served(run, cache, observe) if cache.is_open else run


def _served(run: PreparedRun, cache: SharedCache, observe: ObserveCache) -> PreparedRun:
    requests = [one.request for one in run.open]
    known = _known(cache, run.header, run.plan, run.options.min_mass)
    if known is not None:
        run = replace(run, load=partial(CachedJudge, run.load, known, observe, requests))
    second = run.second
    if second is None:
        return run
    header = {**run.header, **run.header["escalation"]}
    known = _known(cache, header, second.plan, second.min_mass)
    if known is None:
        return run
    return replace(run, second=replace(second, load=partial(CachedJudge, second.load, known, observe)))


def _known(
    cache: SharedCache, header: Mapping[str, Any], plan: Plan, min_mass: float
) -> KnownCompletions | None:
    judge = _asked_judge(header)
    if judge is None:
        why = "neither weights nor an address say what it is"
        warnings.warn(
            f"--cache: {header['model']['name']} is asked anew, {why}", RuntimeWarning, stacklevel=2
        )
        return None
    return KnownCompletions(cache, judge, plan, min_mass)


def left_by_cache(run: PreparedRun) -> tuple[PlannedRequest, ...]:
    """Return what the first judge would be asked, as things are; no weights are needed."""
    judge = _asked_judge(run.header)
    if not run.options.cache or judge is None or not _is_there(run.options.cache):
        return run.open
    with SharedCache(run.options.cache) as cache:
        known = KnownCompletions(cache, judge, run.plan, run.options.min_mass)
        found = {id(completion.request) for completion in known.find([one.request for one in run.open])}
        return tuple(count_new_tokens(one for one in run.open if id(one.request) not in found))


def _is_there(cache: bool | str | PathLike[str]) -> bool:
    try:
        folder = cache_folder(cache)
    except CacheError:
        return False
    return folder is not None and is_file(folder / FILE_NAME)


def _asked_judge(header: Mapping[str, Any]) -> AskedJudge | None:
    """Return what completions are kept under; None where neither weights nor an address say what replied."""
    model, backend = header["model"], header["backend"]
    identity = model.get("sha256") or (backend.get("model") and backend.get("base_url"))
    if not identity:
        return None
    return AskedJudge(name=model["name"], identity=identity, settings=judge_settings(header))
