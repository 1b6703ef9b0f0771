"""What can be wrong with a call, as values: the client's exceptions carry the request and its key."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

UNREACHED = 0


class Remedy(StrEnum):
    """What helps: another try, one at another time, another prompt, or only the user."""

    TRY_AGAIN = "try again"
    LATER = "later"
    NEXT = "next"
    USER = "user"


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """A call that gave no reply. `message` is fit to be shown, `details` is the server's own complaint.

    `status` is the HTTP status, `UNREACHED` where there is none; `retry_after_s` is how long the server asks
    to wait, None where it does not say.
    """

    message: str
    remedy: Remedy
    status: int = UNREACHED
    details: str = field(default="", repr=False)
    retry_after_s: float | None = None
