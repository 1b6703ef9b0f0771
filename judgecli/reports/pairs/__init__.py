"""The pairs of a run one by one, as every report that lists them sees them."""

from judgecli.reports.pairs.kinds import PairKind, kinds_of, outcome
from judgecli.reports.pairs.views import PairView, selected, views

__all__ = ["PairKind", "PairView", "kinds_of", "outcome", "selected", "views"]
