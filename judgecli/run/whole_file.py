"""Text files that are written whole or not at all."""

import os
import tempfile
from pathlib import Path

from judgecli.errors import OutputError
from judgecli.types.paths import is_folder


def check_place(path: Path, option: str) -> None:
    """Refuse a place where no file can be written, before time is spent on what is to be written there.

    Raises:
        OutputError: a folder, no folder to write it in or no permission, or a name that no file can have.
    """
    if is_folder(path):
        raise OutputError(f"{option} {path}: this is a folder; name a file in it")
    if not is_folder(path.parent):
        raise OutputError(f"{option} {path}: there is no folder {path.parent}; make it first")
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise OutputError(f"{option} {path}: no permission to write in {path.parent}; name another folder")
    try:
        path.lstat()
    except FileNotFoundError:
        return
    except OSError as error:
        raise OutputError(f"{option} {path}: cannot be written ({error.strerror}); name another") from error


def write_whole(path: Path, text: str, *, what: str = "report") -> None:
    """Write a text file so that there is never half of it under its final name; `what` is for messages.

    Raises:
        OutputError: it cannot be written.
    """
    partial = None
    try:
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", errors="backslashreplace", newline="\n", dir=path.parent, delete=False
        ) as file:
            partial = Path(file.name)
            file.write(text)
        umask = os.umask(0)
        os.umask(umask)
        partial.chmod(0o666 & ~umask)  # a temporary file is private; a report is an ordinary file
        partial.replace(path)
        partial = None
    except OSError as error:
        raise OutputError(f"{path}: cannot write the {what} ({error.strerror or error})") from error
    finally:
        if partial is not None:
            partial.unlink(missing_ok=True)
