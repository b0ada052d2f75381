"""What vLLM's or SGLang's own server makes of requests, by the code of its released package.

usage: answer.py {vllm|sglang} MODEL_FOLDER < cases.jsonl > answers.jsonl

Cases have "name", "path" and "body", or "raw": the text of the body. Answers: {"name", "token_ids", "error"}; token ids are a list for every prompt of the request, null
when the server refuses it.
"""

import json
import logging
import os
import sys
import warnings

logging.disable(logging.CRITICAL)
warnings.filterwarnings("ignore")
os.environ.setdefault("ENGINES_HOME", os.path.join(sys.prefix, ".."))


def engine(name, folder):
    config = {}
    if os.path.exists(os.path.join(folder, "config.json")):
        with open(os.path.join(folder, "config.json"), encoding="utf-8") as file:
            config = json.load(file)
    if config.get("model_type") == "gpt_oss":
        import harmony

        harmony.install(name, folder)
    if name == "vllm":
        from vllm_server import Vllm

        return Vllm(folder, config)
    from sglang_server import Sglang

    return Sglang(folder, config, os.environ.get("REASONING_PARSER"))


def main():
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    # The engines print to the standard output.
    os.dup2(2, 1)
    server = engine(sys.argv[1], sys.argv[2])
    for line in sys.stdin:
        case = json.loads(line)
        path = case["path"].split("?")[0]
        row = {"name": case["name"], "token_ids": None, "error": None}
        try:
            body = json.loads(case["raw"]) if "raw" in case else case["body"]
            row["token_ids"] = server.tokens(path, {"model": "model", **body})
        except Exception as error:
            row["error"] = f"{type(error).__name__}: {error}"[:300]
        answers.write(json.dumps(row, separators=(",", ":")) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
