"""What vLLM and SGLang make of chat bodies: their own form of the conversation, rendered and tokenized by transformers.

usage: engine_answers.py MODEL=FOLDER... < cases.jsonl > answers.jsonl

Cases have "name", "path" and "body"; others than chat are skipped. Answers: {"name", "model", "profile", "token_ids"}, null when the
engine refuses. The conversions follow vllm/entrypoints/chat_utils.py, vllm ChatCompletionToolsParam, sglang serving_chat.py,
jinja_template_utils.py and protocol.py (November 2026); the rendering is apply_chat_template itself.
"""

import copy
import json
import sys

import jinja2
from transformers import AutoTokenizer
from transformers.utils import chat_template_utils

CHAT = "/v1/chat/completions"


class Refused(Exception):
    """The engine answers 400."""


def iterates_content(template, names):
    """Whether a template loops over the content of a message that has one of these names."""
    tree = chat_template_utils._compile_jinja_template(template).environment.parse(template)
    return any(is_content(loop.iter, names) for loop in tree.find_all(jinja2.nodes.For))


def is_content(node, names):
    if isinstance(node, (jinja2.nodes.Filter, jinja2.nodes.Test)):
        return node.node is not None and is_content(node.node, names)
    if isinstance(node, jinja2.nodes.Getitem):
        if isinstance(node.arg, jinja2.nodes.Slice):
            return is_content(node.node, names)
        if not (isinstance(node.arg, jinja2.nodes.Const) and node.arg.value == "content"):
            return False
    elif not (isinstance(node, jinja2.nodes.Getattr) and node.attr == "content"):
        return False
    return isinstance(node.node, jinja2.nodes.Name) and node.node.name in names


class Vllm:
    profile = "vllm"

    def takes_parts(self, template):
        return iterates_content(template, {"message", "msg", "m"})

    def messages(self, body, takes_parts):
        return [self.message(message, takes_parts) for message in body["messages"]]

    def message(self, message, takes_parts):
        content = message.get("content")
        parts = [] if content is None else [text_part(content)] if isinstance(content, str) else content
        texts = [vllm_text(part) for part in parts]
        is_list = takes_parts and message["role"] != "tool"
        shaped = {"role": message["role"]}
        shaped["content"] = [text_part(text) for text in texts] if is_list else "\n".join(texts)
        if message["role"] == "assistant":
            if message.get("tool_calls"):
                shaped["tool_calls"] = [vllm_call(call) for call in message["tool_calls"]]
            reasoning = message.get("reasoning") or message.get("reasoning_content")
            if reasoning is not None:
                shaped["reasoning"] = shaped["reasoning_content"] = reasoning
        elif message["role"] == "tool":
            shaped["tool_call_id"] = message["tool_call_id"]
        if isinstance(message.get("name"), str):
            shaped["name"] = message["name"]
        return shaped

    def ending(self, messages, body):
        arguments = {"add_generation_prompt": body.get("add_generation_prompt", True)}
        arguments["continue_final_message"] = body.get("continue_final_message", False)
        return messages, {"arguments": arguments, "prefix": ""}

    def tools(self, body):
        tools = body.get("tools")
        return None if tools is None else [dumped(tool, ["name", "description", "parameters"], {}) for tool in tools]


class Sglang:
    profile = "sglang"

    def takes_parts(self, template):
        if any(word in template for word in ["image", "audio", "video", "vision"]):
            return True
        return iterates_content(template, {"message", "msg", "m"})

    def messages(self, body, takes_parts):
        return [self.message(message, takes_parts) for message in body["messages"]]

    def message(self, message, takes_parts):
        content = message.get("content")
        if content is None:
            content = ""
        elif isinstance(content, list):
            texts = [sglang_text(part) for part in content]
            is_list = takes_parts and message["role"] != "tool"
            content = [text_part(text) for text in texts] if is_list else " ".join(texts)
        shaped = {"role": message["role"], "content": content}
        members = ["name"] if message["role"] == "user" else ["tool_call_id", "name", "reasoning_content"]
        for name in members:
            if message.get(name) is not None:
                shaped[name] = message[name]
        if message.get("tool_calls") is not None:
            shaped["tool_calls"] = [sglang_call(call) for call in message["tool_calls"]]
        return shaped

    def ending(self, messages, body):
        """Always a new turn; one to be continued is taken off and its text put behind."""
        continues = body.get("continue_final_message") and messages[-1]["role"] == "assistant"
        kept, prefix = (messages[:-1], messages[-1]["content"]) if continues else (messages, "")
        return kept, {"arguments": {"add_generation_prompt": True}, "prefix": prefix}

    def tools(self, body):
        tools, choice = body.get("tools"), body.get("tool_choice", "auto")
        if not tools or choice == "none":
            return None
        if isinstance(choice, dict):
            tools = [tool for tool in tools if tool["function"]["name"] == choice["function"]["name"]]
            if not tools:
                raise Refused
        return [dumped(tool, ["description", "name", "parameters", "strict"], {"strict": False}, False) for tool in tools]


def text_part(text):
    return {"type": "text", "text": text}


def vllm_text(part):
    if part["type"] not in ("text", "refusal"):
        raise Refused
    return part[part["type"]]


def sglang_text(part):
    if part["type"] != "text":
        raise Refused
    return part["text"]


def vllm_call(call):
    """Arguments that are no JSON become an empty object."""
    call = copy.deepcopy(call)
    try:
        call["function"]["arguments"] = json.loads(call["function"]["arguments"])
    except json.JSONDecodeError:
        call["function"]["arguments"] = {}
    return call


def sglang_call(call):
    """Arguments that are no JSON object are refused. Members in the order of ToolCall."""
    try:
        arguments = json.loads(call["function"]["arguments"])
    except json.JSONDecodeError:
        raise Refused from None
    if not isinstance(arguments, dict):
        raise Refused
    function = {"name": call["function"]["name"], "arguments": arguments}
    return {"id": call["id"], "index": None, "type": "function", "function": function}


def dumped(tool, members, defaults, keeps_extras=True):
    """A tool as its pydantic model dumps it: known members first, those left out as their defaults."""
    given = tool["function"]
    function = {name: given.get(name, defaults.get(name)) for name in members}
    if keeps_extras:
        function.update({name: value for name, value in given.items() if name not in members})
    return {"type": tool["type"], "function": function}


def answer(engine, tokenizer, body):
    """The token ids; None when the engine refuses."""
    variables = {**(body.get("chat_template_kwargs") or body.get("chat_template_args") or {})}
    if body.get("reasoning_effort") is not None:
        variables["reasoning_effort"] = body["reasoning_effort"]
    try:
        messages = engine.messages(body, engine.takes_parts(tokenizer.chat_template))
        messages, ending = engine.ending(messages, body)
        prompt = tokenizer.apply_chat_template(
            messages,
            tools=engine.tools(body),
            documents=body.get("documents"),
            tokenize=False,
            **{**ending["arguments"], **variables},
        )
    except (Refused, jinja2.TemplateError, TypeError, ValueError):
        return None
    return tokenizer.encode(prompt + ending["prefix"], add_special_tokens=False)


def is_plain(body):
    """Whether the body is a conversation whose variables do not stand in for the engine's own."""
    variables = body.get("chat_template_kwargs") or {}
    messages = body.get("messages")
    return isinstance(messages, list) and messages and not {"messages", "tools"} & variables.keys()


def main():
    cases = [json.loads(line) for line in sys.stdin if line.strip()]
    chats = [case for case in cases if case["path"] == CHAT and is_plain(case["body"])]
    for entry in sys.argv[1:]:
        model, folder = entry.split("=", 1)
        tokenizer = AutoTokenizer.from_pretrained(folder)
        for engine in (Vllm(), Sglang()):
            for case in chats:
                try:
                    token_ids = answer(engine, tokenizer, case["body"])
                except (AttributeError, KeyError):
                    token_ids = None
                row = {"name": case["name"], "model": model, "profile": engine.profile, "token_ids": token_ids}
                print(json.dumps(row, separators=(",", ":")))


if __name__ == "__main__":
    main()
