"""What a server says that refuses a call: its words, the parameters at fault, and when to come back."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from judgecli.backends.openai.trouble import Remedy

# A request for which another moment may be a better one.
_PASSING = frozenset({408, 409, 425, 429})


def remedy_of(status: int, body: str) -> Remedy:
    """Return what helps against a refusal."""
    is_unpaid = status == 402 or (status == 429 and "insufficient_quota" in body)
    if status in {401, 403, 404} or is_unpaid or (status == 400 and "model_not_found" in body):
        return Remedy.USER
    return Remedy.TRY_AGAIN if status in _PASSING or status >= 500 else Remedy.NEXT


def words_of(body: object) -> str:
    """Return what a server says in words, whichever of the usual places it says it in."""
    if not isinstance(body, Mapping):
        return ""
    inner, detail = body.get("error"), body.get("detail")
    first = detail[0] if isinstance(detail, list) and detail else None
    said = (
        body.get("message"),
        inner.get("message") if isinstance(inner, Mapping) else inner,
        first.get("msg") if isinstance(first, Mapping) else detail,
    )
    return next((one for one in said if isinstance(one, str)), "")


def parameters_of(body: object) -> str:
    """Return the names of the parameters that a server complains about, in quotation marks."""
    if not isinstance(body, Mapping):
        return ""
    inner, detail = body.get("error"), body.get("detail")
    names = [one.get("param") for one in (body, inner) if isinstance(one, Mapping)]
    for one in detail if isinstance(detail, list) else ():
        place = one.get("loc") if isinstance(one, Mapping) else None
        names += place if isinstance(place, list) else [place]
    return " ".join(f"'{name}'" for name in names if isinstance(name, str))


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """Return the seconds of a Retry-After header, a number or a date; None without a usable one."""
    value = headers.get("retry-after", "").strip()
    if re.fullmatch(r"[0-9]+(\.[0-9]+)?", value):
        return float(value)
    with suppress(ValueError, TypeError, OverflowError):
        seconds = (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds()
        return max(seconds, 0.0) if math.isfinite(seconds) else None
    return None
