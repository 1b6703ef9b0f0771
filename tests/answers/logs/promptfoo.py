"""Made-up results of promptfoo."""

import json

from tests.answers.made_up import write_bytes


def result(test, provider="model-a", output=None, prompt="p", **more):
    return {
        "testIdx": test,
        "vars": {"question": f"q{test}?"},
        "prompt": {"raw": f"Answer: q{test}?", "label": prompt},
        "provider": {"id": provider},
        "response": {"output": f"{provider} to q{test}" if output is None else output},
        "success": False,
        **more,
    }


def of(*providers, n=2):
    return [result(test, provider) for test in range(n) for provider in providers]


def write(path, rows):
    return write_bytes(path, json.dumps({"evalId": "e", "results": {"results": rows}}, indent=1).encode())
