"""SGLang's own way from the body of a request to the tokens of its prompt: its server's code, without a model behind it."""

import asyncio
import json
import os
from types import SimpleNamespace

import msgspec
import stand_ins

HOME = os.environ["ENGINES_HOME"]

stand_ins.install(
    os.path.join(HOME, "sglang"),
    "torch torchvision torchaudio triton cv2 ray flashinfer xgrammar llguidance outlines outlines_core compressed_tensors soundfile av "
    "numba sgl_kernel decord torch_memory_saver flash_attn torchao nvidia cutlass cuda "
    "sglang.srt.managers.tokenizer_manager sglang.srt.managers.schedule_batch sglang.srt.layers sglang.srt.models "
    "sglang.srt.model_executor sglang.srt.distributed sglang.srt.mem_cache sglang.srt.disaggregation "
    "sglang.srt.sampling.penaltylib sglang.srt.sampling.sampling_batch_info sglang.srt.platforms sglang.kernels".split(),
)

REAL_DECODER = msgspec.msgpack.Decoder


def decoder(*arguments, **named):
    """The engine's messages to its scheduler have members of types that are stand-ins."""
    try:
        return REAL_DECODER(*arguments, **named)
    except TypeError:
        return REAL_DECODER()


msgspec.msgpack.Decoder = decoder

SERVING = SimpleNamespace(
    default_chat_template_kwargs=json.loads(os.environ.get("TEMPLATE_ARGS", "null")),
    trust_request_chat_template=False,
    hf_chat_template_name=None,
    allow_auto_truncate=False,
    return_input_ids=False,
    return_output_ids=False,
)
MODEL = SimpleNamespace(context_length=None, revision=None)

from sglang.srt import runtime_context  # noqa: E402

runtime_context.get_serving = lambda: SERVING
runtime_context.get_model = lambda: MODEL

from sglang.srt.configs.model_config import is_multimodal_model  # noqa: E402
from sglang.srt.entrypoints.anthropic.protocol import AnthropicMessagesRequest  # noqa: E402
from sglang.srt.entrypoints.anthropic.serving import AnthropicServing  # noqa: E402
from sglang.srt.entrypoints.openai.protocol import (  # noqa: E402
    ChatCompletionRequest,
    CompletionRequest,
    ResponsesRequest,
)
from sglang.srt.entrypoints.openai.serving_chat import OpenAIServingChat  # noqa: E402
from sglang.srt.entrypoints.openai.serving_completions import OpenAIServingCompletion  # noqa: E402
from sglang.srt.entrypoints.openai.serving_responses import OpenAIServingResponses  # noqa: E402
from sglang.srt.parser.template_manager import TemplateManager  # noqa: E402
from sglang.srt.utils.hf_transformers.tokenizer import get_tokenizer  # noqa: E402


def is_multimodal(config):
    """As `ModelConfig` decides, which needs more of the model than there is here."""
    architectures = config.get("architectures") or []
    inner = any(isinstance(config.get(f"{name}_config"), dict) for name in ("text", "llm", "language", "thinker"))
    disabled = architectures[:1] in (["Gemma3ForConditionalGeneration"], ["Llama4ForConditionalGeneration"])
    return not disabled and (inner or is_multimodal_model(architectures))


def tokenizer_manager(folder, config, tokenizer, reasoning_parser):
    parsers = {"reasoning_parser": reasoning_parser}
    model_config = SimpleNamespace(
        is_multimodal=is_multimodal(config),
        hf_config=SimpleNamespace(
            model_type=config.get("model_type", "llama"),
            architectures=config.get("architectures") or ["LlamaForCausalLM"],
        ),
        get_default_sampling_params=dict,
    )
    return SimpleNamespace(
        tokenizer=tokenizer,
        processor=None,
        model_path=folder,
        served_model_name="model",
        model_config=model_config,
        server_args=None,
        config_value=parsers.get,
    )


class Sglang:
    def __init__(self, folder, config, reasoning_parser=None):
        self.tokenizer = get_tokenizer(folder)
        manager = tokenizer_manager(folder, config, self.tokenizer, reasoning_parser)
        templates = TemplateManager()
        templates.load_chat_template(manager, None, folder)
        self.chat = OpenAIServingChat(manager, templates)
        self.completion = OpenAIServingCompletion(manager, templates)
        self.anthropic = AnthropicServing(self.chat)
        # Its constructor looks for tools on the network; what it needs beside them is the chat server's.
        self.responses = OpenAIServingResponses.__new__(OpenAIServingResponses)
        uses_harmony = config.get("model_type") == "gpt_oss"
        self.responses.__dict__.update(self.chat.__dict__, tool_server=None, msg_store={}, use_harmony=uses_harmony)
        self.loop = asyncio.new_event_loop()

    def tokens(self, path, body):
        """Token ids of every prompt of the request. Raises when the server refuses it."""
        if path == "/v1/completions":
            return self.adapted(self.completion, CompletionRequest(**body))
        if path == "/v1/responses":
            return [self.response_tokens(ResponsesRequest(**body))]
        if path == "/v1/messages":
            converted = self.anthropic._convert_to_chat_completion_request(AnthropicMessagesRequest(**body))
            return self.adapted(self.chat, converted)
        return self.adapted(self.chat, ChatCompletionRequest(**body))

    def adapted(self, serving, request):
        problem = serving._validate_request(request)
        if problem:
            raise ValueError(problem)
        adapted, _ = serving._convert_to_internal_request(request, None)
        ids = adapted.input_ids
        if ids is not None:
            return [list(ids)] if not ids or isinstance(ids[0], int) else [list(one) for one in ids]
        texts = [adapted.text] if isinstance(adapted.text, str) else adapted.text
        return [self.ids(text) for text in texts]

    def response_tokens(self, request):
        """The checks of `create_responses` that concern tools, then its prompt."""
        names = [tool.name for tool in request.tools if tool.type in ("function", "custom")]
        choice = request.effective_tool_choice()
        if any(tool.type == "shell" for tool in request.tools) or request.previous_response_id is not None:
            raise ValueError("not supported without a store")
        if request.tool_choice == "required" and not names:
            raise ValueError("no tool can be forced")
        if isinstance(choice, dict) and choice["name"] not in names:
            raise ValueError("the tool is not declared")
        if self.responses.use_harmony:
            _, prompts, _ = self.responses._make_request_with_harmony(request, None)
            return list(prompts[0])
        _, _, prompts, _ = self.loop.run_until_complete(self.responses._make_request(request, None, self.tokenizer))
        return self.ids(prompts[0])

    def ids(self, prompt):
        return list(self.tokenizer(prompt)["input_ids"]) if isinstance(prompt, str) else list(prompt)
