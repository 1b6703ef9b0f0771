"""Open a weights file, or say in one sentence why it cannot be opened."""

from __future__ import annotations

import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from judgecli.errors import ModelError

_SHARD = re.compile(r"-(\d{5})-of-(\d{5})\.gguf$", re.IGNORECASE)


def shard_names(name: str) -> tuple[str, ...]:
    """Return the names of all shards of a split model, the first one first, given any of them.

    A name without `-00001-of-00002` is its own only shard.
    """
    match = _SHARD.search(name)
    if match is None or not 1 <= int(match[1]) <= int(match[2]):
        return (name,)
    count = int(match[2])
    stem, suffix = name[: match.start()], name[-len(".gguf") :]
    return tuple(f"{stem}-{number:05d}-of-{match[2]}{suffix}" for number in range(1, count + 1))


def shard_paths(path: Path) -> tuple[Path, ...]:
    """Return the paths of all shards, given any of them; see `shard_names`."""
    return tuple(path.parent / name for name in shard_names(path.name))


@contextmanager
def open_weights(path: Path) -> Iterator[tuple[BinaryIO, int]]:
    """Open a regular file for reading and yield it with its size in bytes.

    Raises:
        ModelError: missing, a directory, not a regular file, or not readable.
    """
    try:
        status = path.stat()  # before opening: opening a named pipe would wait for a writer
        if stat.S_ISDIR(status.st_mode):
            raise ModelError(f"{path}: this is a directory; give the .gguf file inside it")
        if not stat.S_ISREG(status.st_mode):
            raise ModelError(f"{path}: not a regular file; give a .gguf file")
        handle = path.open("rb")
    except (FileNotFoundError, NotADirectoryError) as error:
        raise ModelError(f"{path}: no such file; check the path, or see `judge models ls`") from error
    except PermissionError as error:
        raise ModelError(f"{path}: no permission to read it; change the file's mode or owner") from error
    except (OSError, ValueError) as error:
        raise ModelError(f"{path}: cannot be read ({error}); check the path") from error
    with handle:
        yield handle, status.st_size
