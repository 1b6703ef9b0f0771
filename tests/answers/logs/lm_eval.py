"""Made-up samples of lm-eval-harness."""


def sample(doc_id, answer="The answer is 4.", filtered="4", name="strict-match", **more):
    return {
        "doc_id": doc_id,
        "doc": {"question": "2+2?"},
        "target": "4",
        "arguments": {"gen_args_0": {"arg_0": f"Q: {doc_id}+2?\nA:", "arg_1": {"until": ["Q:"]}}},
        "resps": [[answer]],
        "filtered_resps": [filtered],
        "filter": name,
        "doc_hash": f"d{doc_id}",
        **more,
    }


def both_filters(doc_id):
    return [sample(doc_id), sample(doc_id, filtered="four", name="flexible-extract")]
