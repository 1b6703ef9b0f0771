"""What is embedded in a page: it reads back as it was, and can never run."""

import json
from base64 import b64encode
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgecli.reports.html.embedding import content_policy, embedded_json


@pytest.mark.parametrize(
    "text",
    [
        "</script><script>alert(1)</script>",
        "<!-- <script>",
        "]]>",
        "a\u2028b\u2029c",
        "\ud800 lone",
        "\x00\x1b",
        "&lt;img onerror=alert(1)&gt;",
        'quote " and \\ backslash',
        "東京 😀",
    ],
)
def test_any_text_reads_back_and_holds_nothing_that_html_or_javascript_reads(text):
    embedded = embedded_json([text, {text: text}])
    assert json.loads(embedded) == [text, {text: text}]
    assert not set(embedded) & set("<>&\u2028\u2029")
    embedded.encode()  # no lone surrogate is left


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists))
def test_whatever_json_has_reads_back(value):
    embedded = embedded_json(value)
    assert json.loads(embedded) == value
    assert "<" not in embedded


def test_what_json_lacks_becomes_its_own():
    assert json.loads(embedded_json((float("nan"), float("inf"), 1.5, {1: object}))) == [
        None,
        None,
        1.5,
        {"1": "<class 'object'>"},
    ]


def test_the_policy_allows_nothing_but_the_two_by_their_hashes():
    policy = content_policy("run();", "a { }")
    digest = b64encode(sha256(b"run();").digest()).decode()
    assert policy.startswith("default-src 'none'; ")
    assert f"script-src 'sha256-{digest}'" in policy
    assert "unsafe" not in policy
    assert "http" not in policy
