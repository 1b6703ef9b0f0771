"""A row of each format that is read, and of what is none."""

MESSAGES = [{"role": "user", "content": "2+2?"}, {"role": "assistant", "content": "4"}]
ROWS = {
    "alpaca-eval": {
        "dataset": "made_up",
        "instruction": "2+2?",
        "output": "4",
        "generator": "model-a",
        "datasplit": "eval",
    },
    "mt-bench": {
        "question_id": 81,
        "answer_id": "z",
        "model_id": "model-a",
        "choices": [{"index": 0, "turns": ["4", "Still 4"]}],
        "tstamp": 1700000000.5,
    },
    "fastchat": {"answer_id": "z", "model_id": "model-a", "question_id": 1, "text": "4", "metadata": {}},
    "arena-hard": {
        "uid": "u1",
        "ans_id": "z",
        "model": "model-a",
        "messages": [MESSAGES[0], {"role": "assistant", "content": {"answer": "4"}}],
    },
    "arena-hard-v01": {
        "question_id": "u1",
        "model_id": "model-a",
        "choices": [{"index": 0, "turns": [{"content": "4", "token_len": 1}]}],
    },
    "judgelm": {
        "question_id": 0,
        "question_body": "2+2?",
        "decoding_method": "greedy",
        "model": "model-a",
        "text": "4",
        "scores": {"logprobs": -7.0},
    },
    "chat": {"id": "q1", "messages": MESSAGES, "model": "model-a"},
    "sharegpt": {
        "id": "q1",
        "model": "model-a",
        "conversations": [{"from": "human", "value": "2+2?"}, {"from": "gpt", "value": "4"}],
    },
    "mm-vet": {
        "question_id": 0,
        "imagename": "v1_0.png",
        "question": "2+2?",
        "answer": "four",
        "capability": ["math"],
        "answer1_body": "4",
        "model": "model-a",
    },
    "openai-batch": {
        "id": "batch_req_1",
        "custom_id": "q1",
        "response": {
            "status_code": 200,
            "body": {"model": "model-a", "choices": [{"message": MESSAGES[1], "finish_reason": "stop"}]},
        },
        "error": None,
    },
    "promptfoo": {
        "evalId": "eval-1",
        "results": {
            "version": 3,
            "results": [
                {
                    "testIdx": 0,
                    "promptIdx": 0,
                    "vars": {"question": "2+2?"},
                    "prompt": {"raw": "2+2?", "label": "p"},
                    "provider": {"id": "model-a"},
                    "response": {"output": "4"},
                    "success": True,
                }
            ],
        },
        "config": {},
        "shareableUrl": None,
    },
    "inspect": {
        "version": 2,
        "status": "success",
        "eval": {"task": "t", "model": "model-a"},
        "samples": [{"id": 1, "epoch": 1, "input": "2+2?", "target": "4", "output": {"completion": "4"}}],
    },
    "helm": {
        "adapter_spec": {"model": "model-a"},
        "request_states": [
            {
                "instance": {
                    "id": "id1",
                    "input": {"text": "2+2?"},
                    "references": [{"output": {"text": "4"}, "tags": ["correct"]}],
                },
                "train_trial_index": 0,
                "result": {"success": True, "completions": [{"text": "4"}]},
            }
        ],
    },
    "openai-evals": {
        "run_id": "r",
        "event_id": 1,
        "sample_id": "sums.dev.0",
        "type": "sampling",
        "data": {"prompt": MESSAGES[:1], "sampled": ["4"], "model": "model-a"},
    },
    "lm-eval": {
        "doc_id": 0,
        "doc": {"question": "2+2?"},
        "target": "4",
        "arguments": {"gen_args_0": {"arg_0": "2+2?", "arg_1": {"until": ["Q:"]}}},
        "resps": [["4"]],
        "filtered_resps": ["4"],
        "filter": "strict-match",
    },
    "plain": {"id": "q1", "question": "2+2?", "answer": "4", "model": "model-a"},
}
NO_MODEL = {"lm-eval"}
PAIR_ROWS = {
    "judgelm-pairs": {
        "question_id": 0,
        "score": [{"logprobs": -7.0}, {"logprobs": -7.5}],
        "question_body": "2+2?",
        "answer1_body": "4",
        "answer2_body": "5",
        "answer1_model_id": "model-a",
        "answer2_model_id": "model-b",
        "answer1_metadata": {"decoding_method": "greedy"},
        "text": "8 2\nA review.",
    },
    "pandalm": {
        "idx": 0,
        "motivation_app": "Made up",
        "cmp_key": "model-a_model-b",
        "instruction": "Add the numbers.",
        "input": "2 and 2",
        "response1": "4",
        "response2": "5",
        "annotator1": 1,
        "annotator2": 1,
        "annotator3": 0,
    },
    "preference": {"prompt": "2+2?", "chosen": "4", "rejected": "5"},
    "offsetbias": {
        "bias": "made up",
        "instruction": "2+2?",
        "response1": "4",
        "response2": "5",
        "label": 1,
    },
    "alpaca-eval-annotations": {
        "instruction": "2+2?",
        "output_1": "4",
        "generator_1": "model-a",
        "output_2": "5",
        "generator_2": "model-b",
        "annotator": "x",
        "preference": 1.0,
    },
    "arena-battles": {
        "question_id": "q1",
        "model_a": "model-a",
        "model_b": "model-b",
        "winner": "tie (bothbad)",
        "turn": 1,
        "conversation_a": MESSAGES,
        "conversation_b": [MESSAGES[0], {"role": "assistant", "content": "5"}],
    },
    "plain-pairs": {"id": "q1", "question": "2+2?", "answer_a": "4", "answer_b": "5", "gold": "a"},
}
UNREAD = {
    "a run file of judge": {"row": "header", "judgecli": "0.1.0", "mode": "pair", "model": {"name": "m"}},
    "batch input": {"custom_id": "q1", "method": "POST", "body": {"messages": MESSAGES}},
    "display_predictions.json": {"instance_id": "i", "predicted_text": "4"},
    "unpaired preferences": {"prompt": "2+2?", "completion": "4", "label": True},
    "judgements": {"question_id": 81, "model": "m", "judge": ["gpt-4", "p"], "judgment": "[[8]]"},
    "a file of judgements": {"review_id": "r", "answer1_id": "a", "answer2_id": "b", "text": "9 8"},
}
