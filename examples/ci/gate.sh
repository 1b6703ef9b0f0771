#!/bin/sh
# Blocks a merge unless the candidate's answers are no worse than the baseline's, or better: exit 0 passed,
# 1 failed, 5 inconclusive, all others an error. Reports are written with 0, 1 and 5. With any other code there
# are none, for those of an earlier run are removed first.
#
# Copy this file to ci/gate.sh of your repository, and github-workflow.yml beside it to
# .github/workflows/judge.yml. Elsewhere than on GitHub, this file alone is enough:
#
#     BASELINE=main.jsonl CANDIDATE=branch.jsonl JUDGE_MODEL=judgelm-7b sh ci/gate.sh
set -eu

: "${BASELINE:?name the file of the answers to compare with}"
: "${CANDIDATE:?name the file of the answers to be merged}"
JUDGE_MODEL=${JUDGE_MODEL:-judgelm-7b}
GATE=${GATE:-no-worse} # or better, which allows no margin
MARGIN=${MARGIN:-0.05}
OUT=${OUT:-judge-report}
export JUDGE_MODEL

mkdir -p "$OUT"
rm -f "$OUT/report.md" "$OUT/report.html" "$OUT/report.xml" "$OUT/report.json"
[ "$GATE" = no-worse ] && margin="--margin $MARGIN" || margin=
code=0
# $margin and $JUDGE_OPTIONS are left unquoted: they may be several words, or none.
# shellcheck disable=SC2086
judge pair "$BASELINE" "$CANDIDATE" --gate "$GATE" $margin --cache ${JUDGE_OPTIONS:-} \
  --out "$OUT/run.judge.jsonl" --quiet --only losses,failures \
  -r "$OUT/report.md" -r "$OUT/report.html" -r "$OUT/report.xml" -r "$OUT/report.json" || code=$?

if [ -n "${GITHUB_STEP_SUMMARY:-}" ] && [ -f "$OUT/report.md" ]; then
  cat "$OUT/report.md" >>"$GITHUB_STEP_SUMMARY"
fi
exit "$code"
