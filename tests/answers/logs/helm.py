"""Made-up HELM runs."""

import json

from tests.answers.made_up import write_bytes


def state(instance_id, text="4", trial=0, **more):
    return {
        "instance": instance(instance_id),
        "train_trial_index": trial,
        "request": {"model": "model-a", "prompt": "2+2?"},
        "result": {
            "success": True,
            "completions": [{"text": text, "logprob": -0.1, "finish_reason": {"reason": "length"}}],
        },
        **more,
    }


def instance(instance_id, **more):
    return {
        "id": instance_id,
        "input": {"text": f"{instance_id}?"},
        "references": [
            {"output": {"text": "4"}, "tags": ["correct"]},
            {"output": {"text": "5"}, "tags": []},
        ],
        "split": "test",
        **more,
    }


def write_state(path, *states):
    run = {"adapter_spec": {"model": "model-a"}, "request_states": list(states)}
    return write_bytes(path, json.dumps(run, indent=1).encode())


def write_short(folder, instances, predictions):
    (folder / "instances.json").write_text(json.dumps(instances), encoding="utf-8")
    (folder / "display_predictions.json").write_text(json.dumps(predictions), encoding="utf-8")
    spec = {"name": "sums", "adapter_spec": {"model": "model-a"}}
    (folder / "run_spec.json").write_text(json.dumps(spec), encoding="utf-8")
    return str(folder)


def prediction(instance_id, text="4", **more):
    return {
        "instance_id": instance_id,
        "train_trial_index": 0,
        "predicted_text": text,
        "truncated_predicted_text": text[:1],
        "stats": {"exact_match": float("nan")},
        **more,
    }
