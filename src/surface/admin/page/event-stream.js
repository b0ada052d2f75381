/** @typedef {{ event: string, text: string }} ServerEvent */

/** Longest event that is taken, in characters: a server that never ends one must not fill the memory. */
const maxEventLength = 64 * 1024 * 1024;

/**
 * The events of a `text/event-stream` body, as they come; ends with the body.
 * @param {ReadableStream<Uint8Array<ArrayBuffer>>} body
 * @returns {AsyncGenerator<ServerEvent>}
 */
export async function* serverEvents(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const { events, remainder } = cut(rest + value);
      if (remainder.length > maxEventLength) throw new Error("the server sends an event without end");
      rest = remainder;
      yield* events;
    }
  } finally {
    await reader.cancel();
  }
}

/**
 * Cuts text into whole events and what follows the last of them.
 * @param {string} text
 * @returns {{ events: ServerEvent[], remainder: string }}
 */
export function cut(text) {
  const parts = text.split(/\r?\n\r?\n/);
  const remainder = parts.pop() ?? "";
  return { events: parts.map(eventOf).filter((event) => event !== undefined), remainder };
}

/**
 * @param {string} lines of one event
 * @returns {ServerEvent | undefined} undefined = it holds nothing but comments
 */
function eventOf(lines) {
  let event = "message";
  const texts = [];
  for (const line of lines.split(/\r?\n/)) {
    const [, field, value = ""] = /^([a-z]+):? ?(.*)$/s.exec(line) ?? [];
    if (field === "event") event = value;
    if (field === "data") texts.push(value);
  }
  return texts.length === 0 ? undefined : { event, text: texts.join("\n") };
}
