"""Text files that are written whole or not at all."""

import os
import tempfile
from pathlib import Path

from judgecli.errors import OutputError


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
    except OSError as error:
        if partial is not None:
            partial.unlink(missing_ok=True)
        raise OutputError(f"{path}: cannot write the {what} ({error.strerror or error})") from error
