"""Fetch one file from the hub into a partial file, going on where an earlier attempt stopped.

huggingface_hub itself gave this up in 1.x: every download goes to a file of its own that is deleted when
it fails, and its Xet transfer keeps no place either. So the bytes come through its session by plain
HTTP with a Range header, into `<etag>.incomplete` beside the blobs, the name that it used before.
"""

from __future__ import annotations

import errno
import os
import time
from pathlib import Path

from huggingface_hub import constants, get_session, hf_raise_for_status
from huggingface_hub.errors import HfHubHTTPError

from judgecli.errors import ModelError
from judgecli.registry.hub import HTTP_ERROR, Hub, RemoteFile
from judgecli.registry.progress import Progress
from judgecli.registry.sizes import human_size

MAX_IDLE_ATTEMPTS = 5
RETRY_WAIT_S = 1.0
RETRY_STATUS = frozenset({408, 429, 500, 502, 503, 504})


def fetch(hub: Hub, remote: RemoteFile, partial: Path, progress: Progress) -> None:
    """Download until the partial file is whole, trying again after a lost connection.

    Raises:
        ModelError: the hub refuses, the connection is lost for good, or the disk is full; what has
            come so far stays, and the next call goes on from there.
    """
    if _size(partial) > remote.size_bytes:  # left by something else: no beginning of this file
        partial.unlink()
    done = _size(partial)
    progress.start(Path(remote.path).name, remote.size_bytes, done)
    try:
        _fetch_all(hub, remote, partial, progress)
    except OSError as error:
        raise ModelError(_write_failure(error, partial)) from error
    finally:
        progress.stop()


def _fetch_all(hub: Hub, remote: RemoteFile, partial: Path, progress: Progress) -> None:
    idle = 0
    while (done := _size(partial)) < remote.size_bytes:
        failure = _attempt(hub, remote, partial, progress)
        gained = _size(partial) - done
        idle = 0 if gained > 0 else idle + 1
        if idle > MAX_IDLE_ATTEMPTS:
            raise _lost(hub, remote, _size(partial), failure)
        if gained <= 0:
            time.sleep(RETRY_WAIT_S)


def _attempt(hub: Hub, remote: RemoteFile, partial: Path, progress: Progress) -> Exception | None:
    """Ask once for the missing bytes and keep what comes; return what ended it early, if anything did."""
    try:
        _append(hub, remote, partial, progress)
    except HfHubHTTPError as error:
        if error.response.status_code in RETRY_STATUS:
            return error
        raise hub.refusal(error, remote.repo, remote.path, remote.commit) from hub.cleaned(error)
    except HTTP_ERROR as error:
        return error
    return None


def _append(hub: Hub, remote: RemoteFile, partial: Path, progress: Progress) -> None:
    done = _size(partial)
    headers = {**hub.headers, "Accept-Encoding": "identity", "Range": f"bytes={done}-"}
    timeout = constants.HF_HUB_DOWNLOAD_TIMEOUT
    with get_session().stream("GET", remote.url, headers=headers, timeout=timeout) as response:
        hf_raise_for_status(response)
        if response.status_code != 206 and done:  # the server sends the whole file again
            partial.unlink()
            progress.advance(-done)
        with partial.open("ab") as file:
            for chunk in response.iter_bytes():  # as they come: chunks of a given size are lost when cut
                file.write(chunk)
                progress.advance(len(chunk))
            file.flush()
            os.fsync(file.fileno())


def _size(partial: Path) -> int:
    return partial.stat().st_size if partial.exists() else 0


def _lost(hub: Hub, remote: RemoteFile, done: int, failure: Exception | None) -> ModelError:
    reason = type(failure).__name__ if failure else "closed early"
    error = ModelError(
        f"the connection to {hub.endpoint} was lost ({reason}) after {human_size(done)} of "
        f"{human_size(remote.size_bytes)}; the same command goes on from there"
    )
    error.__cause__ = hub.cleaned(failure) if failure else None
    return error


def _write_failure(error: OSError, partial: Path) -> str:
    if error.errno in {errno.ENOSPC, getattr(errno, "EDQUOT", None)}:
        return f"no space left in {partial.parent}; make room, the same command goes on from there"
    return f"{partial}: cannot be written ({error.strerror or error}); check the folder of the hub's cache"
