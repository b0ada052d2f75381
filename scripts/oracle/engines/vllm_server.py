"""vLLM's own way from the body of a request to the tokens of its prompt: its server's code, without a model behind it."""

import asyncio
import json
import os
from types import SimpleNamespace

import stand_ins

HOME = os.environ["ENGINES_HOME"]

stand_ins.install(
    os.path.join(HOME, "vllm"),
    "torch torchvision torchaudio triton cv2 ray flashinfer xgrammar llguidance outlines_core compressed_tensors soundfile av numba "
    "vllm._C vllm.model_executor vllm.distributed vllm.ir vllm.compilation vllm.kernels vllm.config vllm.v1 vllm.engine "
    "vllm.platforms vllm.lora".split(),
    real=["vllm.v1.serial_utils"],
)

from vllm.entrypoints.anthropic.protocol import AnthropicMessagesRequest  # noqa: E402
from vllm.entrypoints.anthropic import serving as anthropic  # noqa: E402
from vllm.entrypoints.openai.chat_completion.protocol import ChatCompletionRequest  # noqa: E402
from vllm.entrypoints.openai.completion.protocol import CompletionRequest  # noqa: E402
from vllm.entrypoints.openai.responses.protocol import ResponsesRequest  # noqa: E402
from vllm.entrypoints.serve.engine.protocol import ErrorResponse  # noqa: E402
from vllm.renderers.hf import HfRenderer  # noqa: E402
from vllm.renderers.online_renderer import OnlineRenderer  # noqa: E402
from vllm.tokenizers.hf import CachedHfTokenizer  # noqa: E402


class Parser:
    """Stands for a tool parser, so that tools are taken. Parsers do not change the prompt."""

    tool_parser_cls = object
    reasoning_parser_cls = None
    always_adjust_request = False

    def __init__(self, *arguments, **named):
        pass

    def set_prompt_token_ids(self, ids):
        pass

    def adjust_request(self, request):
        return request


def model_config(folder, config, tokenizer):
    return SimpleNamespace(
        model=folder,
        tokenizer=folder,
        hf_config=SimpleNamespace(model_type=config.get("model_type", "llama")),
        max_model_len=10_000_000,
        renderer_num_workers=1,
        get_vocab_size=lambda: len(tokenizer),
        is_multimodal_model=False,
        supports_multimodal_inputs=False,
        multimodal_config=None,
        enable_prompt_embeds=False,
        is_encoder_decoder=False,
        trust_remote_code=False,
        revision=None,
        tokenizer_revision=None,
        code_revision=None,
        encoder_config=None,
    )


class Vllm:
    def __init__(self, folder, config):
        tokenizer = CachedHfTokenizer.from_pretrained(folder)
        self.model = model_config(folder, config, tokenizer)
        parallel = SimpleNamespace(_api_process_rank=0, _api_process_count=1)
        whole = SimpleNamespace(model_config=self.model, parallel_config=parallel)
        self.renderer = OnlineRenderer(
            self.model,
            HfRenderer(whole, tokenizer),
            request_logger=None,
            chat_template=None,
            chat_template_content_format="auto",
            enable_auto_tools=True,
            default_chat_template_kwargs=json.loads(os.environ.get("TEMPLATE_ARGS", "null")),
        )
        self.renderer.parser = Parser
        self.merges_inline_system = merges_inline_system(self.renderer, tokenizer)
        resolver = getattr(anthropic, "DisabledThinkingEffortResolver", None)
        self.effort_resolver = resolver and resolver(self.renderer)
        self.loop = asyncio.new_event_loop()

    def tokens(self, path, body):
        """Token ids of every prompt of the request. Raises when the server refuses it."""
        return self.loop.run_until_complete(self.prompts(path, body))

    async def prompts(self, path, body):
        if path == "/v1/completions":
            return token_ids(accepted(await self.renderer.render_completion(CompletionRequest.model_validate(body))))
        if path == "/v1/responses":
            result = accepted(await self.renderer.render_responses(ResponsesRequest.model_validate(body)))
            return token_ids([result.engine_input])
        request = await self.messages(body) if path == "/v1/messages" else ChatCompletionRequest.model_validate(body)
        _, inputs = accepted(await self.renderer.render_chat(request))
        return token_ids(inputs)

    async def messages(self, body):
        request = AnthropicMessagesRequest.model_validate(body)
        options = {"merge_inline_system": self.merges_inline_system}
        if self.effort_resolver:
            options["disabled_thinking_effort"] = await self.effort_resolver.resolve_for(request)
        return anthropic.AnthropicServingMessages.to_chat_completion_request(request, **options)


def merges_inline_system(renderer, tokenizer):
    """Older releases look at one template."""
    serving = anthropic.AnthropicServingMessages
    if hasattr(serving, "_should_merge_inline_system"):
        return serving._should_merge_inline_system(renderer)
    return serving._detect_merge_inline_system(tokenizer.chat_template)


def accepted(result):
    if isinstance(result, ErrorResponse):
        raise ValueError(result.error.message)
    return result


def token_ids(inputs):
    return [list(one["prompt_token_ids"]) for one in inputs]
