"""Charts: numbers to markup, whatever the numbers."""

from xml.etree import ElementTree

import pytest

from judgecli.reports.html import svg
from judgecli.reports.html.svg import IntervalRow, Part, SharePoint

pytestmark = pytest.mark.filterwarnings("error")
NS = "{http://www.w3.org/2000/svg}"


def shapes(markup: str, tag: str) -> list[dict[str, str]]:
    return [dict(one.attrib) for one in ElementTree.fromstring(markup).iter(tag)]


def titles(markup: str) -> list[str]:
    return [one.text or "" for one in ElementTree.fromstring(markup).iter("title")]


def row(
    value: float | None, low: float | None = None, high: float | None = None, name: str = "x"
) -> IntervalRow:
    return IntervalRow(name=name, value=value, low=low, high=high, said="-")


def test_parts_of_a_bar_are_in_proportion_and_nothing_takes_no_room():
    parts = [
        Part(n=30, kind="good", title="win: 30"),
        Part(n=0, kind="even", title="tie"),
        Part(n=10, kind="bad", title="loss: 10"),
    ]
    drawn = shapes(svg.stacked_bar(parts), "rect")
    assert [(one["class"], float(one["x"]), float(one["width"])) for one in drawn] == [
        ("good", 0, 270),
        ("bad", 270, 90),
    ]
    assert titles(svg.stacked_bar(parts)) == ["win: 30", "loss: 10"]


@pytest.mark.parametrize(
    "markup",
    [
        svg.stacked_bar([]),
        svg.stacked_rows([]),
        svg.count_rows([]),
        svg.interval_rows([]),
        svg.paired_columns([], ("a", "b")),
        svg.points_on_diagonal([]),
    ],
)
def test_nothing_is_drawn_as_nothing(markup):
    assert shapes(markup, "rect") == []
    assert "nan" not in markup.lower()


def test_counts_are_in_proportion_to_the_largest_and_what_is_there_can_be_seen():
    drawn = shapes(svg.count_rows([("10", 1000, ""), ("9", 1, "failed"), ("8", 0, "")]), "rect")
    most, little, none = (float(one["width"]) for one in drawn)
    assert most == svg.WIDTH - 120 - 52
    assert (little, none) == (1.5, 0)
    assert [one["class"] for one in drawn] == ["even", "failed", "even"]


def test_intervals_stand_on_their_axis():
    markup = svg.interval_rows([row(0.5, 0.25, 0.75), row(None), row(1.0)])
    [mark, interval] = shapes(markup, "line")
    left, right = 124.0, svg.WIDTH - 56.0
    assert float(mark["x1"]) == (left + right) / 2
    assert float(interval["x1"]) == left + (right - left) / 4
    assert [float(one["cx"]) for one in shapes(markup, "circle")] == [(left + right) / 2, right]


def test_values_beyond_the_axis_stand_at_its_end():
    [circle] = shapes(svg.interval_rows([row(7.0)], 0, 1, None), "circle")
    assert float(circle["cx"]) == svg.WIDTH - 56


def test_an_axis_without_length_divides_by_nothing():
    assert len(shapes(svg.interval_rows([row(3.0, 3.0, 3.0)], 3.0, 3.0), "circle")) == 1


def test_a_bare_axis_shows_a_value_without_an_interval():
    assert len(shapes(svg.interval_axis(0.6, None, None), "line")) == 2
    assert len(shapes(svg.interval_axis(0.6, 0.5, 0.7), "line")) == 3


def test_columns_share_one_base_line():
    markup = svg.paired_columns([("6", 10, 5), ("7", 0, 20)], ("A", "B"))
    drawn = shapes(markup, "rect")
    assert [float(one["height"]) for one in drawn] == [60, 30, 0, 120]
    assert {float(one["y"]) + float(one["height"]) for one in drawn} == {124.0}
    assert titles(markup)[:2] == ["A: 6, 10", "B: 6, 5"]


def test_points_on_the_diagonal_lie_on_it():
    markup = svg.points_on_diagonal([SharePoint(x=0.5, y=0.5, low=0.4, high=0.6, said="half")])
    [point] = shapes(markup, "circle")
    diagonal = shapes(markup, "line")[2]
    middle = (
        (float(diagonal["x1"]) + float(diagonal["x2"])) / 2,
        (float(diagonal["y1"]) + float(diagonal["y2"])) / 2,
    )
    assert (float(point["cx"]), float(point["cy"])) == middle


def test_points_above_a_level_stand_on_their_axes():
    points = [SharePoint(x=0.75, y=0.9, low=0.8, high=0.9, said="well", kind="doubtful")]
    markup = svg.points_above(points, (0.5, 1.0), (0.6, 1.0), 0.8)
    across, up, level, interval = shapes(markup, "line")
    [point] = shapes(markup, "circle")
    assert float(point["cx"]) == (float(across["x1"]) + float(across["x2"])) / 2
    assert (float(level["y1"]), float(interval["y1"])) == ((float(up["y1"]) + float(up["y2"])) / 2,) * 2
    assert float(point["cy"]) == float(up["y1"]) + (float(up["y2"]) - float(up["y1"])) / 4
    assert (point["class"], titles(markup)) == ("doubtful", ["well"])


def test_a_name_is_text_and_a_long_one_is_cut_with_all_of_it_in_its_title():
    hostile = '"><script>alert(1)</script> and much more'
    markup = svg.interval_rows([row(0.5, name=hostile)])
    assert "<script" not in markup
    assert titles(markup) == [hostile]
    assert (
        svg.stacked_rows([("<b>", "&", [Part(n=1, kind="good", title="'\"<i>")])]).count("<")
        == len(
            list(
                ElementTree.fromstring(
                    svg.stacked_rows([("x", "y", [Part(n=1, kind="good", title="z")])])
                ).iter()
            )
        )
        * 2
    )
