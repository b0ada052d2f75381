"""What tokenizers, transformers (and vLLM with it) or SGLang makes of texts, by its own loading of a tokenizer's files.

usage: tokenizing.py {raw|transformers5|sglang} < cases.jsonl > answers.jsonl

Cases have "name", "files" by their names and "texts". Answers: {"name", "token_ids"}: a list for every text, with the tokenizer's special
tokens; null when the files cannot be loaded.
"""

import json
import logging
import os
import sys
import tempfile
import warnings

logging.disable(logging.CRITICAL)
warnings.filterwarnings("ignore")
os.environ.setdefault("ENGINES_HOME", os.path.join(sys.prefix, ".."))


def loader(view):
    if view == "raw":
        from tokenizers import Tokenizer

        def load(folder):
            tokenizer = Tokenizer.from_file(os.path.join(folder, "tokenizer.json"))
            return lambda text: {"input_ids": tokenizer.encode(text).ids}

        return load
    if view == "transformers5":
        from transformers import AutoTokenizer

        return AutoTokenizer.from_pretrained
    import sglang_server

    return sglang_server.get_tokenizer


def main():
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    # The engines print to the standard output.
    os.dup2(2, 1)
    load = loader(sys.argv[1])
    for line in sys.stdin:
        case = json.loads(line)
        row = {"name": case["name"], "token_ids": None}
        with tempfile.TemporaryDirectory() as folder:
            for name, content in case["files"].items():
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    json.dump(content, file)
            try:
                tokenizer = load(folder)
                row["token_ids"] = [list(tokenizer(text)["input_ids"]) for text in case["texts"]]
            except Exception as error:
                print(case["name"], error, file=sys.stderr)
        answers.write(json.dumps(row, separators=(",", ":")) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
