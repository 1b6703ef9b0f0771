"""The sentences for what a hub answers instead of a file."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """An answer of the hub that is not the file asked for.

    `code` is the hub's `X-Error-Code`, where it gave one. `has_token` and `token_refused` say what stood
    behind the request: a token the hub took, or one that it refused before.
    """

    endpoint: str
    repo: str
    path: str
    revision: str | None
    status: int
    code: str | None
    has_token: bool
    token_refused: bool

    @property
    def page(self) -> str:
        """The repository's page."""
        return f"{self.endpoint}/{self.repo}"

    @property
    def is_missing_file(self) -> bool:
        """Whether the repository is there and the file is not."""
        return self.code == "EntryNotFound"

    def sentence(self) -> str:
        """Say what is wrong and what to do about it."""
        if self.code == "GatedRepo":
            return self._gated()
        if self.status in {401, 403}:
            return self._closed()
        if self.status == 404:
            return self._not_found()
        if self.status == 429:
            return (
                f"{self.endpoint} asks to slow down (429); wait some minutes and run the same command again"
            )
        return f"{self.endpoint} answered {self.status} for {self.repo}; try again later, or see {self.page}"

    def _gated(self) -> str:
        licence = f"{self.repo} is gated ({self.status}): accept its licence at {self.page}"
        if self.has_token:
            return f"{licence} with the account of your token, which has no access yet, then try again"
        reason = ", your token was refused" if self.token_refused else ""
        return f"{licence}, then set HF_TOKEN to a token from {self.endpoint}/settings/tokens{reason}"

    def _closed(self) -> str:
        if self.has_token:
            lacks = f"your token may not read {self.repo} ({self.status}), see {self.page}"
            return f"{lacks}; give it access to gated repositories at {self.endpoint}/settings/tokens"
        if self.token_refused:
            refused = f"the hub refused your token, and {self.page} cannot be had without one ({self.status})"
            return f"{refused}; make a new one at {self.endpoint}/settings/tokens and set HF_TOKEN"
        unknown = f"{self.repo} does not exist, or is private or gated, and no token is set ({self.status})"
        return f"{unknown}; check {self.page}, then set HF_TOKEN if it needs one"

    def _not_found(self) -> str:
        if self.is_missing_file:
            at = f" at revision {self.revision}" if self.revision else ""
            return f"{self.repo} has no file {self.path}{at}; see {self.page}/tree/{self.revision or 'main'}"
        if self.code == "RevisionNotFound":
            return f"{self.repo} has no revision {self.revision}; see {self.page}/commits/main"
        return f"{self.repo} is not on the hub, or is private; check the name at {self.page}"
