import pytest

from judgecli.registry import human_size


@pytest.mark.parametrize(
    ("n_bytes", "text"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1.00 kB"),
        (98_362_432, "98.4 MB"),
        (999_499, "999 kB"),
        (999_500, "1.00 MB"),
        (4_080_000_000, "4.08 GB"),
        (19_600_000_000, "19.6 GB"),
        (100_000_000_000, "100 GB"),
        (1_500_000_000_000, "1.50 TB"),
    ],
)
def test_sizes_are_decimal_as_on_the_hub(n_bytes: int, text: str) -> None:
    assert human_size(n_bytes) == text
