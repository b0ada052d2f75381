import { itemsOf, type Members, membersOf, textOf, typedEvent } from "./json-parts.ts";

/** The events of a finished message. Source: Anthropic's documentation, "Streaming Messages". */
export function* messagesEvents(body: Members): Generator<string> {
  const { content, stop_reason: reason = null, stop_sequence: sequence = null, usage, ...shared } = body;
  const { output_tokens: outputTokens = 0, ...input } = membersOf(usage);
  const message = { ...shared, content: [], stop_reason: null, stop_sequence: null };
  yield typedEvent({ type: "message_start", message: { ...message, usage: { ...input, output_tokens: 0 } } });
  for (const [index, block] of itemsOf(content).entries()) {
    const { start, deltas } = streamedBlock(membersOf(block));
    yield typedEvent({ type: "content_block_start", index, content_block: start });
    for (const delta of deltas) yield typedEvent({ type: "content_block_delta", index, delta });
    yield typedEvent({ type: "content_block_stop", index });
  }
  const delta = { stop_reason: reason, stop_sequence: sequence };
  yield typedEvent({ type: "message_delta", delta, usage: { output_tokens: outputTokens } });
  yield typedEvent({ type: "message_stop" });
}

interface StreamedBlock {
  /** As the block begins. */
  readonly start: Members;
  readonly deltas: readonly Members[];
}

/** Blocks of other types come whole. */
function streamedBlock(block: Members): StreamedBlock {
  switch (block["type"]) {
    case "text":
      return textBlock(block);
    case "thinking":
      return {
        start: { ...block, thinking: "", signature: "" },
        deltas: [
          { type: "thinking_delta", thinking: textOf(block["thinking"]) },
          { type: "signature_delta", signature: textOf(block["signature"]) },
        ],
      };
    case "tool_use":
    case "server_tool_use":
      return {
        start: { ...block, input: {} },
        deltas: [{ type: "input_json_delta", partial_json: JSON.stringify(block["input"] ?? {}) }],
      };
    default:
      return { start: block, deltas: [] };
  }
}

function textBlock(block: Members): StreamedBlock {
  const { citations, ...rest } = block;
  const cited = itemsOf(citations);
  return {
    start: { ...rest, text: "", ...(cited.length > 0 ? { citations: [] } : {}) },
    deltas: [
      { type: "text_delta", text: textOf(block["text"]) },
      ...cited.map((citation) => ({ type: "citations_delta", citation })),
    ],
  };
}
