import type { Chance } from "./chance.ts";

/** Names that the frontend's types have somewhere, and those that client programs send to other servers. */
const names = [
  "add_generation_prompt add_special_tokens annotations arguments audio audio_url background best_of budget_tokens cache_control cache_salt call_id",
  "chat_template chat_template_args chat_template_kwargs citations container content context_management continue_final_message continuous_usage_stats conversation",
  "data defer_loading description detail detokenize dimensions disable_parallel_tool_use display documents dp_rank echo effort enable_thinking encrypted_content",
  "file_id format frequency_penalty function function_call functions guided_choice guided_decoding_backend guided_grammar guided_json guided_regex",
  "guided_whitespace_pattern id ignore_eos image_url include include_stop_str_in_output include_usage index input input_audio input_schema instructions is_error",
  "json_schema kv_transfer_params logit_bias logprob logprobs lora_path max_completion_tokens max_new_tokens max_output_tokens max_tokens max_tool_calls",
  "mcp_servers media_io_kwargs media_type messages metadata min_p min_tokens mm_processor_kwargs modalities mode n name namespace no_stop_trim nvext output",
  "output_config output_format parallel_tool_calls parameters partial phase prediction prefix presence_penalty previous_response_id priority prompt",
  "prompt_cache_breakpoint prompt_cache_key prompt_cache_options prompt_cache_retention prompt_embeds prompt_logprobs provider reasoning reasoning_content",
  "reasoning_effort refusal regex repetition_penalty request_id response_format return_tokens_as_token_ids rid role safety_identifier sampling_params schema seed",
  "separate_reasoning service_tier signature skip_special_tokens status stop stop_reason stop_sequences stop_token_ids store stream stream_options strict",
  "structured_outputs suffix summary system temperature text thinking thinking_budget thinking_token_budget title tool_call_id tool_calls tool_choice tool_use_id",
  "tools top_k top_logprobs top_n top_p truncate_prompt_tokens truncation type url usage user uuid verbosity video_url voice web_search_options",
].flatMap((line) => line.split(" "));

/** A member's name that is known somewhere, though seldom where it is put. */
export function knownName(chance: Chance): string {
  return chance.pick(names);
}
