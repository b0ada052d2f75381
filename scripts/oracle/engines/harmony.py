"""The Harmony library that an engine pins, in a folder of its own: two packages of one name."""

import base64
import json
import os
import sys
import tempfile

HOME = os.environ["ENGINES_HOME"]


def install(engine, folder):
    """Makes the engine's library importable, with the vocabulary of a gpt-oss model's folder where it would download that."""
    sys.path.insert(0, os.path.join(HOME, f"harmony-{engine}"))
    target = tempfile.mkdtemp(prefix="harmony-")
    os.environ["TIKTOKEN_ENCODINGS_BASE"] = target
    with open(os.path.join(folder, "tokenizer.json"), encoding="utf-8") as file:
        vocabulary = json.load(file)["model"]["vocab"]
    with open(os.path.join(target, "o200k_base.tiktoken"), "wb") as file:
        for token, rank in sorted(vocabulary.items(), key=lambda entry: entry[1]):
            file.write(base64.b64encode(bytes(_BYTES[character] for character in token)) + b" %d\n" % rank)


def _bytes_by_character():
    """The alphabet of byte-level tokenizers: what can be printed stands for itself, the rest follows U+0100."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in plain]
    return {chr(byte): byte for byte in plain} | {chr(256 + at): byte for at, byte in enumerate(others)}


_BYTES = _bytes_by_character()
