import { isRecord } from "./unknown-record.ts";

/** Length of each vector. */
const dimensions = 8;

/** Answers `/v1/embeddings`: a vector per input, made from its bytes; the engine and its cache have no part in it. */
export function embeddingsAnswer(body: Buffer): { readonly status: number; readonly value: object } {
  try {
    const request: unknown = JSON.parse(body.toString("utf8"));
    if (!isRecord(request)) throw new TypeError("the body must be a JSON object");
    const input = request["input"];
    if (input === undefined || input === null) throw new TypeError("input is required");
    const inputs: readonly unknown[] = Array.isArray(input) && typeof input[0] !== "number" ? input : [input];
    const tokens = Math.ceil(JSON.stringify(inputs).length / 4);
    return {
      status: 200,
      value: {
        object: "list",
        data: inputs.map((each, index) => ({ object: "embedding", index, embedding: vectorOf(JSON.stringify(each)) })),
        model: request["model"],
        usage: { prompt_tokens: tokens, total_tokens: tokens },
      },
    };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { status: 400, value: { error: { message, type: "invalid_request_error", param: null, code: 400 } } };
  }
}

function vectorOf(text: string): readonly number[] {
  const sums = new Array<number>(dimensions).fill(0);
  for (let index = 0; index < text.length; index += 1) {
    const slot = index % dimensions;
    sums[slot] = ((sums[slot] ?? 0) * 31 + text.charCodeAt(index)) % 1000;
  }
  return sums.map((sum) => sum / 1000 - 0.5);
}
