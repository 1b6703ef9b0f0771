"""Pull a model: ask the hub what it would take, then fetch, check and keep it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from huggingface_hub import constants, hf_hub_download
from huggingface_hub.errors import HfHubHTTPError
from huggingface_hub.file_download import are_symlinks_supported
from huggingface_hub.utils import WeakFileLock  # type: ignore[attr-defined]  # public, exported late

from judgecli.errors import ModelError
from judgecli.registry import hashes, hub_cache
from judgecli.registry.cards import CardFile, ModelCard
from judgecli.registry.hub import HTTP_ERROR, Hub, RemoteFile
from judgecli.registry.progress import Progress
from judgecli.registry.resolution import ResolvedModel, locate, resolve_file
from judgecli.registry.sizes import human_size
from judgecli.registry.specs import Spec, parse_spec
from judgecli.registry.transfer import fetch

LOCK_WAIT_S = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class PullPlan:
    """What a pull would do. `present` is set where nothing is left to do; sizes are in bytes."""

    spec: Spec
    file: CardFile
    present: ResolvedModel | None = None
    remotes: tuple[RemoteFile, ...] = ()
    needed_bytes: int = 0
    free_bytes: int = 0
    folder: Path
    hub: Hub | None = field(default=None, repr=False)

    @property
    def name(self) -> str:
        """The model's full name."""
        return self.spec.name_of(self.file)

    @property
    def card(self) -> ModelCard | None:
        """The model's card, if it has one."""
        return self.spec.card

    @property
    def total_bytes(self) -> int:
        """Size of the model, what is here already included."""
        return sum(remote.size_bytes for remote in self.remotes)

    def check_space(self) -> None:
        """Refuse a download that the disk cannot hold.

        Raises:
            ModelError: not enough space is free.
        """
        if self.needed_bytes > self.free_bytes:
            needed, free = human_size(self.needed_bytes), human_size(self.free_bytes)
            raise ModelError(
                f"{self.name} needs {needed} more, and {self.folder} has {free} free; "
                "make room, or set HF_HUB_CACHE to a folder on a larger disk"
            )


def plan_pull(text: str, progress: Progress) -> PullPlan:
    """Ask the hub for a model's size and hashes; connect to nothing where it is in the cache.

    Raises:
        ModelError: an unknown model, a local path, or an answer of the hub that is not the file.
    """
    spec = parse_spec(text)
    folder = hub_cache.cache_folder()
    if not spec.files:
        raise ModelError(f"{spec.path} is a file on this machine; there is nothing to pull")
    file = spec.files[0]
    if file.package or locate(file):
        return PullPlan(spec=spec, file=file, present=resolve_file(spec, file, progress), folder=folder)
    hub = Hub(progress)
    remotes = _look_up(hub, file)
    return PullPlan(
        spec=spec,
        file=file,
        remotes=remotes,
        needed_bytes=sum(_missing_bytes(remote) for remote in remotes),
        free_bytes=_free_bytes(folder),
        folder=folder,
        hub=hub,
    )


def download(plan: PullPlan, progress: Progress) -> ResolvedModel:
    """Fetch what a plan names, check size and SHA-256, and keep it in the hub's cache folder.

    Raises:
        ModelError: no space, a lost connection (the same call goes on), or a file with a wrong hash,
            which is deleted.
    """
    if plan.present is not None or plan.hub is None:
        return resolve_file(plan.spec, plan.file, progress)
    plan.check_space()
    for remote in plan.remotes:
        try:
            _keep(plan.hub, remote, progress)
            _link(plan.hub, remote, plan.file.revision)
        except OSError as error:
            raise ModelError(f"{plan.folder}: cannot be written ({error}); check the folder") from error
    return resolve_file(plan.spec, plan.file, progress)


def _look_up(hub: Hub, file: CardFile) -> tuple[RemoteFile, ...]:
    """Describe all shards, those after the first at its commit, and compare them with the card."""
    repo = file.repo or ""
    first = hub.look_up(repo, file.paths[0], file.revision)
    remotes = (first, *(hub.look_up(repo, path, first.commit) for path in file.paths[1:]))
    for remote, expected in zip(remotes, file.sha256, strict=True):
        if remote.size_bytes > constants.MAX_HTTP_DOWNLOAD_SIZE:
            what = f"{human_size(remote.size_bytes)} is more than the hub sends over plain HTTP"
            raise ModelError(f"{remote.path}: {what}; run: hf download {repo} {remote.path}")
        if expected and remote.sha256 and expected != remote.sha256:
            what = f"the card of this model has SHA-256 {expected}, the hub {remote.sha256}"
            raise ModelError(f"{remote.path}: {what}; the file was replaced, do not use it unchecked")
    total = sum(remote.size_bytes for remote in remotes)
    if file.size_bytes not in {None, total}:
        raise ModelError(
            f"{first.path}: the card has {file.size_bytes:,} bytes, the hub {total:,}; it was replaced"
        )
    return remotes


def _blob(remote: RemoteFile) -> Path:
    return hub_cache.repo_folder(remote.repo) / "blobs" / remote.etag


def _entry(remote: RemoteFile) -> Path:
    return hub_cache.repo_folder(remote.repo) / "snapshots" / remote.commit / remote.path


def _partial(remote: RemoteFile) -> Path:
    return _blob(remote).with_name(f"{remote.etag}.incomplete")


def _missing_bytes(remote: RemoteFile) -> int:
    if _blob(remote).exists() or _entry(remote).exists():
        return 0
    partial = _partial(remote)
    return remote.size_bytes - (partial.stat().st_size if partial.exists() else 0)


def _free_bytes(folder: Path) -> int:
    existing = next(path for path in (folder.absolute(), *folder.absolute().parents) if path.exists())
    return shutil.disk_usage(existing).free


def _keep(hub: Hub, remote: RemoteFile, progress: Progress) -> None:
    """Fetch a file, check it and move it to where huggingface_hub would have put it."""
    with _only_process(remote, progress):
        if _blob(remote).exists() or _entry(remote).exists():
            return
        partial = _partial(remote)
        partial.parent.mkdir(parents=True, exist_ok=True)
        fetch(hub, remote, partial, progress)
        sha256 = _checked_sha256(remote, partial, progress)
        # Without links the snapshot holds the file itself: this is huggingface_hub's own layout there.
        target = _blob(remote) if are_symlinks_supported(hub_cache.cache_folder()) else _entry(remote)
        target.parent.mkdir(parents=True, exist_ok=True)
        partial.replace(target)
        hashes.remember(target, sha256)


def _checked_sha256(remote: RemoteFile, partial: Path, progress: Progress) -> str:
    sha256 = hashes.hash_file(partial, progress, Path(remote.path).name)
    if remote.sha256 is None:
        progress.warn(f"the hub states no SHA-256 for {remote.path}; only its size was checked")
    elif sha256 != remote.sha256:
        partial.unlink()
        hashes_differ = f"SHA-256 is {sha256}, should be {remote.sha256}"
        raise ModelError(f"{remote.path}: {hashes_differ}; the download was deleted, try again")
    return sha256


def _link(hub: Hub, remote: RemoteFile, revision: str | None) -> None:
    """Let huggingface_hub enter the file into its snapshot and note what the branch stands for."""
    try:
        hf_hub_download(
            remote.repo,
            remote.path,
            revision=revision,
            cache_dir=hub_cache.cache_folder(),
            endpoint=hub.endpoint,
            token=hub.token or False,
        )
    except HfHubHTTPError as error:
        raise hub.refusal(error, remote.repo, remote.path, revision) from hub.cleaned(error)
    except HTTP_ERROR as error:
        raise hub.unreachable(error) from hub.cleaned(error)


@contextmanager
def _only_process(remote: RemoteFile, progress: Progress) -> Iterator[None]:
    """Hold huggingface_hub's own lock on a file, so that two downloads never write into one."""
    lock = (
        hub_cache.cache_folder() / ".locks" / hub_cache.repo_folder(remote.repo).name / f"{remote.etag}.lock"
    )
    lock.parent.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        try:
            stack.enter_context(WeakFileLock(lock, timeout=LOCK_WAIT_S))
        except TimeoutError:
            progress.warn(f"another process is downloading {remote.path}; waiting for it")
            stack.enter_context(WeakFileLock(lock))
        yield
