"""What transformers prints for templates: one JSON line a template, {"ok": text} or {"err": "Type: message"}.

usage: render_snippets.py CONTEXT.json < sources.jsonl     (each line a JSON string)
"""

import json
import sys

from transformers.utils import chat_template_utils


def main():
    with open(sys.argv[1], encoding="utf8") as file:
        context = file.read()
    for line in sys.stdin:
        try:
            template = chat_template_utils._cached_compile_jinja_template(json.loads(line))
            answer = {"ok": template.render(**json.loads(context))}
        except Exception as error:
            answer = {"err": f"{type(error).__name__}: {error}"[:200]}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
