"""GPT-4's own reviews in JudgeLM's format: the reader finds the scores that the data's authors found."""

import json
from collections import Counter

from judgecli.types import Failure
from tests.places import shared_data
from tests.verdicts.made_up import read_scores_of


def test_gpt4_reviews_are_read_as_their_authors_read_them() -> None:
    lines = shared_data("vicuna80/judgelm-format-gpt4-reviews.jsonl").read_text(encoding="utf-8").split("\n")
    rows = [json.loads(line) for line in lines if line]
    read = [(row["score"], read_scores_of(row["text"])) for row in rows]
    outcomes = Counter(judgment.failure for _, judgment in read)
    assert outcomes == {None: 997, Failure.OUT_OF_RANGE: 4, Failure.UNREADABLE: 39}
    for stated, judgment in read:
        if judgment.failure is None:
            assert [judgment.scores.get("A"), judgment.scores.get("B")] == stated
        if judgment.failure is Failure.OUT_OF_RANGE:
            assert judgment.text.split("\n")[0].strip() == "0 9"
