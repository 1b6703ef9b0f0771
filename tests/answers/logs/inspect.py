"""Made-up logs of inspect."""

import io
import json
import zipfile


def sample(sample_id, completion="4", epoch=1, **more):
    return {
        "id": sample_id,
        "epoch": epoch,
        "input": f"{sample_id}+2?",
        "target": "4",
        "messages": [],
        "output": {
            "model": "m",
            "choices": [{"message": {"role": "assistant", "content": completion}, "stop_reason": "stop"}],
            "completion": completion,
        },
        "scores": {},
        **more,
    }


def log(*samples):
    return {
        "version": 2,
        "status": "success",
        "eval": {"task": "sums", "model": "model-a"},
        "samples": list(samples),
    }


def packed(*samples, header=True, **options):
    """Return the bytes of an `.eval` log."""
    stored = io.BytesIO()
    with zipfile.ZipFile(stored, "w", zipfile.ZIP_DEFLATED, **options) as archive:
        head = {"version": 2, "eval": {"task": "sums", "model": "model-a"}}
        archive.writestr("_journal/start.json", json.dumps(head))
        if header:
            archive.writestr("header.json", json.dumps({**head, "status": "success"}))
            archive.writestr("summaries.json", "[]")
        for one in samples:
            archive.writestr(f"samples/{one['id']}_epoch_{one['epoch']}.json", json.dumps(one))
    return stored.getvalue()
