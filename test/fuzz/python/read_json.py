"""What Python's json makes of texts.

Each line of stdin: {"hex": bytes}; answered by {"value": v} or {"refused": why}. In v objects are ["object", [name, value], ...], arrays
["array", ...], numbers ["number", digits].
"""

import json
import sys


def refuse(name):
    raise ValueError(name)


def pairs(members):
    return {"members": members}


def shown(value):
    if isinstance(value, dict):
        return ["object", *[[name, shown(member)] for name, member in value["members"]]]
    if isinstance(value, list):
        return ["array", *[shown(item) for item in value]]
    return ["number", str(value)] if isinstance(value, Digits) else value


class Digits(str):
    pass


def read(text):
    try:
        value = json.loads(
            text.decode("utf-8"),
            parse_int=Digits,
            parse_float=Digits,
            parse_constant=refuse,
            object_pairs_hook=pairs,
        )
        answer = shown(value)
        # Lone surrogates are no text.
        json.dumps(answer, ensure_ascii=False).encode("utf-8")
        return {"value": answer}
    except (ValueError, RecursionError) as error:
        return {"refused": type(error).__name__}


def main():
    sys.setrecursionlimit(20_000)
    for line in sys.stdin:
        print(json.dumps(read(bytes.fromhex(json.loads(line)["hex"]))), flush=True)


if __name__ == "__main__":
    main()
