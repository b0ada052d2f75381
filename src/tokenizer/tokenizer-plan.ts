import type { Buffer } from "node:buffer";
import type { JsonObject } from "../json/index.ts";
import { type AddedId, AddedVocabulary, readAddedTokens } from "./added-vocabulary.ts";
import { type BpeModel, readBpeModel } from "./bpe-model.ts";
import { asShape } from "./json-shape.ts";
import { type Normalizer, normalise, readNormalizer } from "./normalizer.ts";
import { readSpecialAffixes, type SpecialAffixes } from "./special-affixes.ts";
import type { TokenizerView } from "./tokenizer.ts";
import { asSeen } from "./tokenizer-view.ts";
import { UnsupportedFeature } from "./unsupported-feature.ts";
import { readWordPattern, type WordPattern } from "./word-pattern.ts";

/** A tokenizer.json of which this engine knows every feature that can change an id. */
export interface TokenizerPlan {
  readonly addedTokens: readonly AddedId[];
  readonly normalizer: Normalizer;
  readonly pattern: WordPattern;
  readonly model: BpeModel;
  readonly affixes: SpecialAffixes;
  /** The text of the tokens is the normal form of the text that they were made of. */
  readonly decodesToItsText: boolean;
}

/**
 * Reads a tokenizer.json. Truncation, padding and the decoder are left out.
 * @throws UnsupportedFeature naming the first feature that is not on the list
 */
export function readTokenizerPlan(
  tokenizerJson: Buffer,
  tokenizerConfig: JsonObject | undefined,
  view: TokenizerView,
  modelType: string | undefined,
): TokenizerPlan {
  const raw = asShape(parse(tokenizerJson), "tokenizer.json");
  const { file, tokens } = asSeen(raw, view, tokenizerConfig, modelType);
  const model = readBpeModel(file["model"]);
  const normalizer = readNormalizer(file["normalizer"]);
  const pattern = readWordPattern(file["pre_tokenizer"], normalizer.replacesSpaces);
  const added = new AddedVocabulary(model.vocabulary);
  added.add(readAddedTokens(file["added_tokens"]));
  added.add(tokens);
  const plan = {
    addedTokens: added.entries().map((token) => inNormalForm(token, normalizer)),
    normalizer,
    pattern,
    model,
    affixes: readSpecialAffixes(file["post_processor"]),
    decodesToItsText: pattern.kind !== "joined" && isByteLevel(file["decoder"]),
  };
  checkCombination(plan);
  return plan;
}

function parse(json: Buffer): unknown {
  try {
    return JSON.parse(json.toString("utf8"));
  } catch (cause) {
    throw new UnsupportedFeature("not JSON", { cause });
  }
}

function isByteLevel(decoder: unknown): boolean {
  return typeof decoder === "object" && decoder !== null && asShape(decoder, "decoder")["type"] === "ByteLevel";
}

/** A token that is looked for in the normal form is itself normalised first. */
function inNormalForm(token: AddedId, normalizer: Normalizer): AddedId {
  return token.normalized ? { ...token, content: normalise(token.content, normalizer) } : token;
}

function checkCombination({ addedTokens, normalizer, pattern }: TokenizerPlan): void {
  const contents = addedTokens.map((token) => `${token.normalized}${token.content}`);
  if (new Set(contents).size !== contents.length) throw new UnsupportedFeature("added tokens that look the same");
  if (pattern.kind !== "joined") {
    if (normalizer.replacesSpaces) throw new UnsupportedFeature("Replace with ByteLevel");
    return;
  }
  if (normalizer.nfc) throw new UnsupportedFeature("NFC without ByteLevel");
  if (pattern.metaspace === undefined) return;
  if (normalizer.prepends) throw new UnsupportedFeature("Prepend with Metaspace");
  if (addedTokens.some((token) => token.normalized)) throw new UnsupportedFeature("normalized tokens with Metaspace");
}
