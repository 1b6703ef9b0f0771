"""Which fields two runs must share to go into one file."""

from typing import Any

import pytest

from judgecli.ledger import KEYED, first_difference
from tests.ledger.made_up import HEADER


def header_with(dotted: str, value: Any) -> dict[str, Any]:
    first, _, rest = dotted.partition(".")
    return HEADER | {first: HEADER.get(first, {}) | {rest: value} if rest else value}


@pytest.mark.parametrize("name", KEYED)
def test_each_keyed_field_is_named(name: str) -> None:
    changed = header_with(name, "other")
    found = first_difference(HEADER, changed)
    assert found is not None
    assert (found[0], found[2]) == (name, "other")
    assert first_difference(changed, changed) is None


@pytest.mark.parametrize(
    "name",
    ["backend.n_ctx", "backend.n_threads", "backend.parallel", "model.name", "started_at", "judgecli"],
)
def test_what_leaves_verdicts_as_they_are_is_no_difference(name: str) -> None:
    assert first_difference(HEADER, header_with(name, "other")) is None


@pytest.mark.parametrize(
    ("name", "default"),
    [("backend.offload", None), ("backend.split_mode", "layer"), ("backend.tensor_split", None)],
)
def test_a_header_older_than_a_field_means_its_default(name: str, default: Any) -> None:
    assert name in KEYED
    assert first_difference(HEADER, header_with(name, default)) is None
    assert first_difference(header_with(name, default), HEADER) is None
    assert first_difference(HEADER, header_with(name, "other")) == (name, default, "other")


def test_the_first_of_several_differences_is_named() -> None:
    changed = header_with("model.sha256", "ffff") | {"orders": "ab"}
    assert first_difference(HEADER, changed) == ("model.sha256", "5ad0", "ffff")


@pytest.mark.parametrize("foreign", [{}, {"model": None}, {"model": "judge", "prompt": [], "backend": 7}])
def test_a_header_of_another_make_differs_and_does_not_break(foreign: dict[str, Any]) -> None:
    assert first_difference(foreign, HEADER) is not None
