"""What a run header holds of a gate: as it was written, or refused."""

import json
from dataclasses import asdict, fields
from typing import Any

import numpy as np
import pytest

from judgecli.errors import DataError, UsageError
from judgecli.types import GateKind, GateOptions
from judgecli.types.gate_options import _RULES

MADE = (
    GateOptions(),
    GateOptions(kind=GateKind.BETTER, group="conversation", by="category", control=0, seed=-3),
    GateOptions(margin=0.1, alpha=0.01, early_stop=True, min_items=0, min_groups=0),
    GateOptions(max_invalid=1, min_consistency=0, control_level=1),
)


def table(**changes: Any) -> dict[str, Any]:
    return {**json.loads(json.dumps(asdict(GateOptions()))), **changes}


@pytest.mark.parametrize("options", MADE)
def test_what_was_written_is_read(options: GateOptions) -> None:
    assert GateOptions.recorded(json.loads(json.dumps(asdict(options)))) == options


def test_a_run_without_a_gate() -> None:
    assert GateOptions.recorded(None) is None


def test_what_a_header_does_not_say_is_as_usual() -> None:
    assert GateOptions.recorded({"kind": "better"}) == GateOptions(kind=GateKind.BETTER)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("margin", 0),
        ("margin", "0.05"),
        ("margin", float("nan")),
        ("alpha", None),
        ("alpha", 0.5),
        ("alpha", True),
        ("group", 5),
        ("group", " "),
        ("by", ["x"]),
        ("by", False),
        ("control", 2.5),
        ("control", -1),
        ("control", True),
        ("early_stop", "yes"),
        ("early_stop", 1),
        ("early_stop", None),
        ("seed", None),
        ("seed", 0.5),
        ("min_items", -5),
        ("min_items", 30.0),
        ("min_groups", "a"),
        ("max_invalid", None),
        ("max_invalid", 1.5),
        ("min_consistency", -0.1),
        ("min_consistency", "0.6"),
        ("control_level", None),
        ("control_level", float("inf")),
        ("surprise", 1),
    ],
)
def test_an_edited_value_is_refused(name: str, value: Any) -> None:
    with pytest.raises(
        DataError, match=r"the run file's header describes no gate \(.*\); judge anew"
    ) as caught:
        GateOptions.recorded(table(**{name: value}))
    assert name in str(caught.value)


@pytest.mark.parametrize("value", ["equal", None, ["better"], 1])
def test_an_edited_kind_is_refused(value: Any) -> None:
    with pytest.raises(DataError, match=r"describes no gate \(.* is not a valid GateKind\); judge anew"):
        GateOptions.recorded(table(kind=value))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("kind", "better"),
        ("margin", "0.05"),
        ("alpha", True),
        ("group", 5),
        ("control", 2.5),
        ("early_stop", 1),
        ("seed", 0.5),
        ("min_items", -5),
        ("min_groups", -1),
        ("max_invalid", 1.5),
        ("min_consistency", -0.1),
        ("control_level", float("nan")),
    ],
)
def test_a_value_from_python_is_refused_where_it_is_given(name: str, value: Any) -> None:
    with pytest.raises(UsageError, match=f"^(--)?{name} is .*, not "):
        GateOptions(**{name: value})


def test_every_option_has_a_rule_of_its_own_name() -> None:
    assert list(_RULES) == [field.name for field in fields(GateOptions)]


def test_numbers_of_other_kinds_are_numbers() -> None:
    made = GateOptions(margin=np.float32(0.25), control=np.int64(8), seed=np.int64(3))
    assert (made.margin, made.control, made.seed) == (0.25, 8, 3)


@pytest.mark.parametrize("value", [5, "better", [], [["kind", "better"]], {}, True])
def test_what_is_no_gate_at_all(value: Any) -> None:
    with pytest.raises(DataError, match="the run file's header describes no gate"):
        GateOptions.recorded(value)
