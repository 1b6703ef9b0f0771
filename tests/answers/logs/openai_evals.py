"""Made-up logs of OpenAI evals."""

from tests.answers.made_up import said

SPEC = {"spec": {"completion_fns": ["model-a"], "eval_name": "sums.dev", "run_id": "r"}}
REPORT = {"final_report": {"accuracy": 1.0}}


def event(sample_id, kind="sampling", **data):
    number = len(sample_id)
    return {"run_id": "r", "event_id": number, "sample_id": sample_id, "type": kind, "data": data}


def drawn(sample_id, text="4", **data):
    return event(sample_id, prompt=said(f"{sample_id}?"), sampled=[text], **data)
