#!/bin/sh
# Blocks a merge unless the candidate's answers are no worse than the baseline's: exit 0 passed, 1 failed,
# 5 inconclusive, all others an error. The reports are written in every case.
#
#     BASELINE=main.jsonl CANDIDATE=branch.jsonl JUDGE_MODEL=judgelm-7b sh gate.sh
set -eu

BASELINE=${BASELINE:-examples/baseline.jsonl}
CANDIDATE=${CANDIDATE:-examples/candidate.jsonl}
JUDGE_MODEL=${JUDGE_MODEL:-judgelm-7b}
MARGIN=${MARGIN:-0.05}
OUT=${OUT:-judge-report}
export JUDGE_MODEL

mkdir -p "$OUT"
code=0
# $JUDGE_OPTIONS is left unquoted: it may be several options.
# shellcheck disable=SC2086
judge pair "$BASELINE" "$CANDIDATE" --gate no-worse --margin "$MARGIN" --cache ${JUDGE_OPTIONS:-} \
  --out "$OUT/run.judge.jsonl" --quiet \
  -r "$OUT/report.md" -r "$OUT/report.html" -r "$OUT/report.xml" -r "$OUT/report.json" || code=$?

if [ -n "${GITHUB_STEP_SUMMARY:-}" ] && [ -f "$OUT/report.md" ]; then
  cat "$OUT/report.md" >>"$GITHUB_STEP_SUMMARY"
fi
exit "$code"
