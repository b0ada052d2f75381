/** A template that the Dynamo frontend knows, and what it prints in other words there. */
interface Patch {
  readonly isFor: (source: string) => boolean;
  readonly apply: (source: string) => string;
}

/** The pieces of Gemma 4's template that are replaced; it is left alone unless it has all of them. */
const gemmaThought = `{%- if message.get('reasoning') and loop.index0 > ns_turn.last_user_idx and message.get('tool_calls') -%}
        {{- '<|channel>thought\\n' + message['reasoning'] + '\\n<channel|>'}}
    {%- endif -%}`;
const gemmaCall = `{%- for tool_call in message['tool_calls'] -%}
                    {%- set function = tool_call['function'] -%}`;
const gemmaCallsEnd = `{{- '}<tool_call|>' -}}
                {%- endfor -%}`;

const printThought = "{{- '<|channel>thought\\n' + pointsman_thought + '\\n<channel|>' if pointsman_thought }}";

/** Reasoning may come in segments, of which each stands before the call of its place, and one more behind the last. */
const gemma: Patch = {
  isFor: (source) =>
    ["<|channel>thought", "<|tool_call>call:", gemmaThought, gemmaCall, gemmaCallsEnd].every((part) =>
      source.includes(part),
    ) && !source.includes("reasoning_content"),
  apply: (source) =>
    source
      .replaceAll(
        gemmaThought,
        () => `{%- set pointsman_thoughts = message.get('reasoning') or message.get('reasoning_content') -%}
{%- set pointsman_thoughts = [pointsman_thoughts] if pointsman_thoughts is string else pointsman_thoughts if pointsman_thoughts is sequence else [] -%}
{%- if not message.get('tool_calls') -%}{%- for pointsman_thought in pointsman_thoughts -%}${printThought}{%- endfor -%}{%- endif -%}`,
      )
      .replaceAll(
        gemmaCall,
        () => `{%- for tool_call in message['tool_calls'] -%}
{%- set pointsman_thought = pointsman_thoughts[loop.index0] -%}${printThought}{%- set function = tool_call['function'] -%}`,
      )
      .replaceAll(
        gemmaCallsEnd,
        () => `${gemmaCallsEnd}
{%- set pointsman_thought = pointsman_thoughts[message['tool_calls'] | length] -%}${printThought}`,
      ),
};

const minimaxEnd = `{%- if add_generation_prompt -%}
{{- ']~b]ai' ~ '\\n' ~ '<think>' ~ '\\n' }}
{%- endif -%}`;

/** MiniMax M2's prompt always opens the model's thoughts; a request without them closes them again. */
const minimax: Patch = {
  isFor: (source) => source.includes("<minimax:tool_call>") && source.trimEnd().endsWith(minimaxEnd),
  apply: (source) => {
    const end = source.trimEnd().length;
    const isOff =
      "not thinking if thinking is boolean else not enable_thinking if enable_thinking is boolean else thinking_mode is string and thinking_mode == 'chat'";
    const closing = `{%- if add_generation_prompt -%}
{{- ']~b]ai\\n<think>\\n' ~ ('</think>\\n' if (${isOff}) else '') }}
{%- endif -%}`;
    return source.slice(0, end - minimaxEnd.length) + closing + source.slice(end);
  },
};

/** The source with what the frontend patches in it (dynamo-renderer@8.0.3 template/formatters.rs, template/minimax_m2.rs). */
export function patched(source: string): string {
  return [gemma, minimax].find(({ isFor }) => isFor(source))?.apply(source) ?? source;
}
