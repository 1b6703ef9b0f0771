"""Judges behind an endpoint: the client, and the address that the environment names; nothing is asked."""

from __future__ import annotations

import os
from importlib import metadata

from judgecli.backends.openai.environment import API_KEY, shown_url
from judgecli.diagnosis.findings import EndpointState
from judgecli.errors import ModelError


def look_at_endpoint() -> EndpointState:
    """Return what there is to ask an endpoint with."""
    try:
        base_url, problem = shown_url(), None
    except ModelError as error:
        base_url, problem = None, str(error)
    has_key = bool(os.environ.get(API_KEY, "").strip())
    return EndpointState(client=_client(), base_url=base_url, has_key=has_key, problem=problem)


def _client() -> str | None:
    try:
        return metadata.version("openai")
    except metadata.PackageNotFoundError:
        return None
