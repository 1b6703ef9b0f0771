"""From what confidence on a verdict is trusted, and what a temperature does to its probabilities."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from math import exp, log
from typing import Any

P_FLOOR = 1e-6  # a probability of 0 has no logarithm; under this the judge's own rounding decides


def tempered(p: tuple[float, float, float], temperature: float) -> tuple[float, float, float]:
    """Return probabilities proportional to p^(1 / temperature), each at least 1e-6 before.

    Source: Guo et al., ICML 2017 (arXiv 1706.04599), with the logarithms of the probabilities as logits.
    """
    logits = [log(max(one, P_FLOOR)) / temperature for one in p]
    highest = max(logits)
    a, tie, b = (exp(logit - highest) for logit in logits)
    total = a + tie + b
    return a / total, tie / total, b / total


@dataclass(frozen=True, slots=True, kw_only=True)
class DoubtRule:
    """Which verdicts are doubtful: each condition that is given adds some.

    `below` is a confidence; `everything` doubts all verdicts, as where no threshold is certified. `failed`
    adds the items on which the judge failed.
    """

    below: float | None = None
    everything: bool = False
    order_dependent: bool = False
    failed: bool = False

    @classmethod
    def recorded(cls, table: Any) -> DoubtRule | None:
        """Return the rule that a run header holds; None where it holds none."""
        if not isinstance(table, Mapping):
            return None
        below = table.get("below")
        return cls(
            below=float(below) if isinstance(below, int | float) else None,
            everything=table.get("everything") is True,
            order_dependent=table.get("order_dependent") is True,
            failed=table.get("failed") is True,
        )

    def __str__(self) -> str:
        said = (
            f"confidence under {self.below:g}" if self.below is not None else "",
            "every verdict" if self.everything else "",
            "order-dependent" if self.order_dependent else "",
            "failed" if self.failed else "",
        )
        return ", ".join(filter(None, said)) or "none"

    @property
    def as_table(self) -> dict[str, Any]:
        """The rule as a run header holds it."""
        return asdict(self)
