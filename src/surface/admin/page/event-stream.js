/** @typedef {{ event: string, text: string }} ServerEvent */

/** Longest event that is taken, in characters: a server that never ends one must not fill the memory. */
const maxEventLength = 64 * 1024 * 1024;
const eventEnd = /\r?\n\r?\n/;
/** Its characters at most. */
const longestEnd = 4;

/**
 * The events of a `text/event-stream` body, as they come; ends with the body.
 * @param {ReadableStream<Uint8Array<ArrayBuffer>>} body
 * @returns {AsyncGenerator<ServerEvent>}
 */
export async function* serverEvents(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  /** The event whose end is not there yet, in the pieces that it came in: they are joined and looked through once. @type {string[]} */
  let pieces = [];
  let length = 0;
  let tail = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      pieces.push(value);
      length += value.length;
      // Its end may have begun in the piece before.
      const isEnded = eventEnd.test(tail + value);
      tail = (tail + value).slice(1 - longestEnd);
      if (isEnded) {
        const { events, remainder } = cut(pieces.join(""));
        pieces = [remainder];
        length = remainder.length;
        yield* events;
      }
      if (length > maxEventLength) throw new Error("the server sends an event without end");
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
  const parts = text.split(eventEnd);
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
