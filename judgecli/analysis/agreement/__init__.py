"""How far a judge and people say the same: all in `summary`, a statistic or two in each other module."""
