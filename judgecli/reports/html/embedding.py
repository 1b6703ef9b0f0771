"""Putting strangers' texts and our own script into a page so that only the latter can ever run."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from hashlib import sha256
from typing import Any

from markupsafe import Markup

from judgecli.reports.wording.plain import plain

# `<` could end the script element or begin a comment, the separators end a line of older scripts, and a lone
# surrogate has no UTF-8.
_UNSAFE = re.compile("[<>&\u2028\u2029\ud800-\udfff]")


def embedded_json(value: Any) -> Markup:
    """Return a value as JSON that may stand in a script element of a type that is not run."""
    text = json.dumps(plain(value), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return Markup(_UNSAFE.sub(_escaped, text))  # noqa: S704 - nothing is left in it that ends an element


def content_policy(script: str, style: str) -> str:
    """Return a policy under which this script and this style alone take effect, and nothing is fetched."""
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src '{_digest(script)}'",
            f"style-src '{_digest(style)}'",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )


def _digest(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


def _escaped(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"
