import { StringDecoder } from "node:string_decoder";

/** Lines of a byte stream, split at `\n` alone: JSON text may hold U+2028, at which `node:readline` splits too. */
export async function* lines(input: AsyncIterable<Buffer | string>): AsyncGenerator<string> {
  const decoder = new StringDecoder("utf8");
  let rest = "";
  for await (const chunk of input) {
    const parts = (rest + (typeof chunk === "string" ? chunk : decoder.write(chunk))).split("\n");
    rest = parts.pop() ?? "";
    yield* parts;
  }
  yield rest + decoder.end();
}
