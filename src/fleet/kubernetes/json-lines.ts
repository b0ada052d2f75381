import { KubeApiError } from "./kube-api.ts";

const newline = 0x0a;

/**
 * The values of a stream with one JSON text a line, as watches are.
 * @throws KubeApiError for a line that is longer than `maxLineBytes` or no JSON
 */
export async function* jsonLines(chunks: AsyncIterable<Buffer>, maxLineBytes: number): AsyncGenerator<unknown> {
  let parts: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      parts.push(chunk.subarray(start, end));
      start = end + 1;
      const line = Buffer.concat(parts);
      [parts, bytes] = [[], 0];
      if (line.length > maxLineBytes) throw tooLong(maxLineBytes);
      if (line.length > 0) yield parsedLine(line);
    }
    if (start === chunk.length) continue;
    parts.push(chunk.subarray(start));
    bytes += chunk.length - start;
    if (bytes > maxLineBytes) throw tooLong(maxLineBytes);
  }
  if (bytes > 0) throw new KubeApiError("the watch was cut off within an event");
}

function parsedLine(line: Buffer): unknown {
  try {
    return JSON.parse(line.toString("utf8"));
  } catch (cause) {
    throw new KubeApiError("an event of the watch is no JSON", { cause });
  }
}

function tooLong(maxLineBytes: number): KubeApiError {
  return new KubeApiError(`an event of the watch is longer than ${maxLineBytes} bytes`);
}
