"""Ask the hub about a file, with the user's token for as long as the hub takes it.

The hub's errors are told apart by status and `X-Error-Code`, not by huggingface_hub's exception classes:
these depend on its version and on whether the endpoint is https.
"""

from __future__ import annotations

import difflib
import os
import re
from dataclasses import dataclass

from huggingface_hub import HfApi, HfFileMetadata, constants, get_hf_file_metadata, get_token, hf_hub_url
from huggingface_hub.errors import HfHubHTTPError, HFValidationError

from judgecli.errors import ModelError
from judgecli.registry.progress import Progress
from judgecli.registry.refusals import Refusal

# The base of huggingface_hub's own error is that of the client it uses: httpx in 1.x, httpx2 in 2.x.
HTTP_ERROR: type[Exception] = HfHubHTTPError.__bases__[0]

_SHA256 = re.compile(r"[0-9a-f]{64}")
_COMMIT = re.compile(r"[0-9a-f]{40}")
_ETAG = re.compile(r"[0-9A-Za-z_-][0-9A-Za-z_.-]*")
_TRUE = frozenset({"1", "ON", "YES", "TRUE"})
_VISIBLE_ASCII = re.compile(r"[!-~]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteFile:
    """One file as the hub describes it, at one commit."""

    repo: str
    path: str
    commit: str
    etag: str
    size_bytes: int
    url: str

    @property
    def sha256(self) -> str | None:
        """The hash that the hub states: the entity tag of a large file; None for one kept in git itself."""
        return self.etag if _SHA256.fullmatch(self.etag) else None


def endpoint() -> str:
    """Return the hub's address: HF_ENDPOINT as it is now, not as it was when huggingface_hub was imported.

    Raises:
        ModelError: HF_ENDPOINT is not an address.
    """
    address = (os.environ.get("HF_ENDPOINT") or "https://huggingface.co").rstrip("/")
    if not address.startswith(("http://", "https://")):
        raise ModelError(f"HF_ENDPOINT is {address!r}; it must begin with http:// or https://")
    return address


class Hub:
    """A conversation with the hub.

    Raises:
        ModelError: HF_HUB_OFFLINE is set, or HF_ENDPOINT is not an address.
    """

    def __init__(self, progress: Progress) -> None:
        if constants.HF_HUB_OFFLINE or os.environ.get("HF_HUB_OFFLINE", "").upper() in _TRUE:
            raise ModelError(
                "HF_HUB_OFFLINE is set, so nothing can be fetched; unset it, or use a cached model"
            )
        self.endpoint = endpoint()
        self.progress = progress
        self.token = _usable_token(progress)
        self.refused_token: str | None = None

    @property
    def headers(self) -> dict[str, str]:
        """The headers of a request made past huggingface_hub's own calls."""
        return {"authorization": f"Bearer {self.token}"} if self.token else {}

    def look_up(self, repo: str, path: str, revision: str | None) -> RemoteFile:
        """Ask for a file's commit, size and hash; a token that the hub refuses is dropped with a warning.

        A stale token makes the hub refuse even public repositories.

        Raises:
            ModelError: the file cannot be had, and why, with the page to visit.
        """
        try:
            return self._describe(repo, path, revision)
        except HfHubHTTPError as error:
            if error.response.status_code != 401 or not self.token:
                raise self.refusal(error, repo, path, revision) from self.cleaned(error)
        except (HTTP_ERROR, OSError) as error:
            raise self.unreachable(error) from self.cleaned(error)
        self.refused_token, self.token = self.token, None
        file = self.look_up(repo, path, revision)
        self.progress.warn(f"the hub refused your token; {repo} is public, going on without (check HF_TOKEN)")
        return file

    def _describe(self, repo: str, path: str, revision: str | None) -> RemoteFile:
        try:
            url = hf_hub_url(repo, path, revision=revision, endpoint=self.endpoint)
            found = get_hf_file_metadata(url, token=self.token or False, endpoint=self.endpoint)
        except HFValidationError as error:
            raise ModelError(f"{repo} cannot be a hub repository; write hf:org/repo/file.gguf") from error
        commit, etag, size_bytes = self._believable(found)
        pinned = hf_hub_url(repo, path, revision=commit, endpoint=self.endpoint)
        return RemoteFile(repo=repo, path=path, commit=commit, etag=etag, size_bytes=size_bytes, url=pinned)

    def _believable(self, found: HfFileMetadata) -> tuple[str, str, int]:
        """Return commit, entity tag and size; the first two become file names, so their form is checked."""
        commit, etag, size_bytes = found.commit_hash or "", found.etag or "", found.size
        if not _COMMIT.fullmatch(commit) or not _ETAG.fullmatch(etag) or size_bytes is None:
            what = f"{self.endpoint} does not answer like a Hugging Face hub"
            raise ModelError(f"{what}; check HF_ENDPOINT and proxies")
        return commit, etag, size_bytes

    def cleaned(self, error: Exception) -> Exception:
        """Return the error without the token anywhere in its chain: a server may echo what it was sent."""
        link: BaseException | None = error
        while link is not None:
            for token in filter(None, (self.token, self.refused_token)):
                link.args = tuple(
                    arg.replace(token, "<token>") if isinstance(arg, str) else arg for arg in link.args
                )
            link = link.__cause__ or link.__context__
        return error

    def unreachable(self, error: Exception) -> ModelError:
        """Return the error for a hub that does not answer."""
        cause = f"{self.endpoint} cannot be reached ({type(error).__name__})"
        return ModelError(f"{cause}; check the connection and try again, models in the cache work without it")

    def refusal(self, error: HfHubHTTPError, repo: str, path: str, revision: str | None) -> ModelError:
        """Return the error for an answer that is not the file."""
        refusal = Refusal(
            endpoint=self.endpoint,
            repo=repo,
            path=path,
            revision=revision,
            status=error.response.status_code,
            code=error.response.headers.get("X-Error-Code"),
            has_token=self.token is not None,
            token_refused=self.refused_token is not None,
        )
        close = self._close_files(repo, path, revision) if refusal.is_missing_file else []
        return ModelError(refusal.sentence() + (f" (close to it: {', '.join(close)})" if close else ""))

    def _close_files(self, repo: str, path: str, revision: str | None) -> list[str]:
        """Return the GGUF files of the repository whose names are most like the one asked for."""
        api = HfApi(endpoint=self.endpoint, token=self.token or False)
        try:
            names = api.list_repo_files(repo, revision=revision)
        except (HTTP_ERROR, OSError):
            return []
        models = {name.casefold(): name for name in names if name.casefold().endswith(".gguf")}
        return [models[key] for key in difflib.get_close_matches(path.casefold(), models, n=3, cutoff=0.3)]


def _usable_token(progress: Progress) -> str | None:
    """Return the user's token; None where there is none, or it holds what no header may hold.

    The HTTP client would print such a token in full in its complaint.
    """
    token = None if constants.HF_HUB_DISABLE_IMPLICIT_TOKEN else get_token()
    if token is None or _VISIBLE_ASCII.fullmatch(token):
        return token
    progress.warn("your token (HF_TOKEN) holds characters that no token has; going on without it")
    return None
