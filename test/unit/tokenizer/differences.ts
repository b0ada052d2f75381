import { readTokenizer, type TokenizerName } from "../../../scripts/tokenizers.ts";
import { JsonObject, parseJson } from "../../../src/json/index.ts";
import { loadTokenizer, type Tokenizer } from "../../../src/tokenizer/index.ts";
import { NativeTokenizer } from "../../../src/tokenizer/native-tokenizer.ts";
import { specialTokensOf } from "../../../src/tokenizer/special-tokens.ts";
import { Random } from "./random.ts";

/** A model with our tokenizer and the official one. */
export interface Contestants {
  readonly ours: Tokenizer;
  readonly official: NativeTokenizer;
  readonly addedTokens: readonly string[];
}

export async function loadContestants(name: TokenizerName): Promise<Contestants> {
  const files = readTokenizer(name);
  const config = parseJson(files.tokenizerConfig);
  if (!(config instanceof JsonObject)) throw new TypeError("tokenizer_config.json is not an object");
  const json = files.tokenizerJson.toString("utf8");
  const { added_tokens: tokens } = JSON.parse(json) as { added_tokens: readonly { content: string }[] };
  return {
    ours: await loadTokenizer(files.tokenizerJson, config),
    official: new NativeTokenizer(json, specialTokensOf(config)),
    addedTokens: tokens.map(({ content }) => content),
  };
}

/**
 * The texts whose ids are not the official ones: as one string, as pieces cut at random places, or as written in decimal. Texts are encoded in order, so that
 * later ones meet the caches that earlier ones filled.
 */
export async function differences(
  { ours, official }: Contestants,
  texts: readonly string[],
): Promise<readonly string[]> {
  const random = new Random(texts.length);
  const found: string[] = [];
  for (const text of texts) {
    const options = { addSpecialTokens: random.below(2) === 1 };
    const expected = (await official.encode(text, options)).join(",");
    const whole = (await ours.encode(text, options)).join(",");
    const prompt = await ours.encodePieces(pieces(text, random), options);
    const written = Buffer.concat(prompt.decimals()).toString("latin1").slice(1);
    if (whole !== expected || prompt.ids.join(",") !== expected || written !== expected) found.push(text);
  }
  return found;
}

/** Text cut at random places, not inside a surrogate pair. */
export function pieces(text: string, random: Random): readonly string[] {
  const parts: string[] = [];
  for (let start = 0; start < text.length; ) {
    let end = Math.min(text.length, start + random.between(1, random.pick([3, 40, 400, 4000])));
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end++;
    parts.push(text.slice(start, end));
    start = end;
  }
  return parts;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
