"""Nouns of how far verdicts can be trusted: the alternative annotator test, and calibration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from judgecli.types.agreement import Baseline
from judgecli.types.estimates import Estimate, Summary
from judgecli.types.headers import header_part

_VARIATIONS = ("template", "rubric", "aspect", "cot", "shots", "reference_block")  # of a prompt family


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotatorTest:
    """The test of the judge against one annotator; `reason` says why there is none, where p is None.

    `n` counts items, or groups where items that belong together are one unit; `adjusted_p_value` allows for
    the number of annotators (Benjamini-Yekutieli). `rejected`: the judge is shown to hold.
    """

    annotator: str
    n: int
    advantage: float | None
    human_advantage: float | None
    p_value: float | None
    rejected: bool
    reason: str | None = None
    adjusted_p_value: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidationSummary(Summary):
    """The alternative annotator test: may the judge stand in for one of the annotators?

    `omega` is the share of annotators against whom the judge is shown to hold, `rho` the mean advantage
    probability. `passes` None where the test cannot be made. `group` is the field that makes one unit of
    several items, of which there are `n_groups`; both None where the item is the unit.
    Source: Calderon et al., ACL 2025 (arXiv 2501.10970).
    """

    about: ClassVar[str] = "validate"
    labels_file: str
    epsilon: float
    q: float
    tests: tuple[AnnotatorTest, ...]
    omega: Estimate
    rho: Estimate
    passes: bool | None
    n_items: int
    group: str | None = None
    n_groups: int | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One threshold of a fixed sequence: of `n` items at or above it, `k` are wrong; `bound` on the risk."""

    threshold: float
    n: int
    k: int
    bound: float
    passed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """What is done to a judge's verdict probabilities, and from which confidence on a verdict is trusted.

    `temperature` divides the logarithms of the merged probabilities. `threshold` None: nothing certifies, so
    every verdict is doubtful. With probability `confidence` over the labels drawn, verdicts whose confidence
    is the threshold or more agree with people in a share of at least `agree`. `judge` is what the judge's run
    header says that has to be the same where this is applied.
    """

    temperature: float
    threshold: float | None
    agree: float
    confidence: float
    judge: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbabilityScores:
    """How good probabilities are on labelled items: less is better. `ece` None under 300 labels."""

    n: int
    brier: float | None
    nll: float | None
    ece: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationSummary(Summary):
    """What fitting a calibration showed.

    The temperature was fitted on `n_fit` items; `before` and `after` are on the `n_test` others, as are the
    `steps` of the fixed sequence. `coverage` is the share of the test items at or above the threshold,
    `agreement` what they agree; `n_left_out` items of a group that has one already. `accuracy` is how often
    all these verdicts agree with people, whatever their confidence, and `baselines` are over the same items.
    """

    about: ClassVar[str] = "calibrate"
    labels_file: str
    calibration: Calibration
    n_fit: int
    n_test: int
    before: ProbabilityScores
    after: ProbabilityScores
    steps: tuple[Step, ...]
    coverage: Estimate
    agreement: Estimate
    accuracy: Estimate | None = None
    baselines: tuple[Baseline, ...] = ()
    group: str | None = None
    n_left_out: int = 0
    notes: tuple[str, ...] = ()


def calibrated_judge(header: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a run's header says about its judge that a calibration holds for.

    These are the weights, or the endpoint and the model there, the prompt and how it was varied, the orders,
    and the least mass: what changes probabilities. So does asking an endpoint for reasons, which is another
    request; here the verdict is read before them. A field that the header lacks is None.
    """
    model, prompt, backend = (header_part(header, name) for name in ("model", "prompt", "backend"))
    is_endpoint = backend.get("device") == "endpoint"
    return {
        **{name: model.get(name) for name in ("sha256", "name")},
        "family": prompt.get("family"),
        "prompt_hash": prompt.get("hash"),
        **{name: prompt.get(name) for name in _VARIATIONS},
        **{name: header.get(name) for name in ("orders", "min_mass")},
        **{name: backend.get(name) for name in ("base_url", "model")},
        "reasons": header.get("reasons") if is_endpoint else None,
    }
