"""Types that OpenAI's Harmony library makes of JSON schemas.

usage: harmony_types.py MODEL_FOLDER < schemas.jsonl > types.jsonl

ENGINES_HOME names the installation; the model is gpt-oss. Lines of the answer: {"schema", "type"}.
"""

import json
import sys

import harmony

harmony.install("vllm", sys.argv[1])

from openai_harmony import (  # noqa: E402
    Conversation,
    DeveloperContent,
    HarmonyEncodingName,
    Message,
    Role,
    ToolDescription,
    load_harmony_encoding,
)


def type_of(encoding, schema):
    tool = ToolDescription.new("f", "", parameters=schema)
    content = DeveloperContent.new().with_function_tools([tool])
    message = Message.from_role_and_content(Role.DEVELOPER, content)
    text = encoding.decode(encoding.render_conversation(Conversation.from_messages([message])))
    return text.split("type f = (_: ", 1)[1].rsplit(") => any;\n\n} // namespace functions<|end|>", 1)[0]


def main():
    encoding = load_harmony_encoding(HarmonyEncodingName.HARMONY_GPT_OSS)
    for line in sys.stdin:
        schema = json.loads(line)
        print(json.dumps({"schema": schema, "type": type_of(encoding, schema)}))


if __name__ == "__main__":
    main()
