"""What transformers prints for chat templates.

Each line of stdin: {"template": text, "context": JSON text}; answered by {"ok": text}, {"err": "Type: message"} or {"lost": why} where the
template takes too much time or memory for an answer.
"""

import json
import resource
import signal
import sys

from transformers.utils import chat_template_utils

SECONDS = 4
BYTES = 3 << 30


class OutOfTime(BaseException):
    pass


def stop(*_):
    raise OutOfTime


def render(template, context):
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        compiled = chat_template_utils._cached_compile_jinja_template(template)
        return {"ok": compiled.render(**json.loads(context))}
    except (OutOfTime, MemoryError, RecursionError) as error:
        return {"lost": type(error).__name__}
    except Exception as error:
        return {"err": f"{type(error).__name__}: {error}"[:200]}
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def main():
    signal.signal(signal.SIGALRM, stop)
    resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
    for line in sys.stdin:
        question = json.loads(line)
        print(json.dumps(render(question["template"], question["context"])), flush=True)


if __name__ == "__main__":
    main()
