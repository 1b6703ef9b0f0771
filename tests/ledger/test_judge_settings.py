"""What a header says of its judge as far as it decides what comes back for a prompt."""

from typing import Any

import pytest

from judgecli.ledger import judge_settings

HEADER: dict[str, Any] = {
    "mode": "pair",
    "model": {"name": "made-up", "sha256": "f" * 64},
    "prompt": {"family": "judgelm", "hash": "1" * 64, "rubric": None},
    "backend": {"name": "llama_cpp", "llama_cpp": "b1", "n_ubatch": 512, "n_ctx": 256, "n_threads": 2},
    "sampling": "greedy",
    "orders": "both",
    "min_mass": 0.5,
    "reasons": False,
}


@pytest.mark.parametrize(
    ("part", "name", "value"),
    [
        (None, "mode", "grade"),
        (None, "orders", "ab"),
        (None, "min_mass", 0.9),
        (None, "reasons", True),
        (None, "ranking", "joint"),
        (None, "rotations", 3),
        (None, "turn", "last"),
        ("prompt", "family", "chat"),
        ("prompt", "hash", "2" * 64),
        ("model", "name", "the same file by another name"),
        ("backend", "n_ctx", 4096),
        ("backend", "n_threads", 8),
    ],
)
def test_what_a_run_makes_of_it_does_not_count(part: str | None, name: str, value: Any) -> None:
    changed = {**HEADER, name: value} if part is None else {**HEADER, part: {**HEADER[part], name: value}}
    assert judge_settings(changed) == judge_settings(HEADER)


@pytest.mark.parametrize(
    ("part", "name", "value"),
    [
        (None, "sampling", "published"),
        ("model", "sha256", "e" * 64),
        ("backend", "name", "openai"),
        ("backend", "model", "made-up"),
        ("backend", "base_url", "https://example.org/v1"),
        ("backend", "device", "CUDA0"),
        ("backend", "llama_cpp", "b2"),
        ("backend", "n_ubatch", 128),
        ("backend", "type_k", "q8_0"),
        ("backend", "flash_attn", False),
        ("backend", "prompts_per_call", 4),
    ],
)
def test_weights_engine_and_sampling_count(part: str | None, name: str, value: Any) -> None:
    changed = {**HEADER, name: value} if part is None else {**HEADER, part: {**HEADER[part], name: value}}
    assert judge_settings(changed) != judge_settings(HEADER)


def test_a_field_without_a_value_is_no_difference() -> None:
    """A later version may know of more settings."""
    assert judge_settings(
        {**HEADER, "backend": {**HEADER["backend"], "tensor_split": None}}
    ) == judge_settings(HEADER)
