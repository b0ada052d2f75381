import { asList, asShape, type Shape, sequence } from "./json-shape.ts";
import { UnsupportedFeature } from "./unsupported-feature.ts";

/** Ids that the post-processor puts around a text when special tokens are asked for. */
export interface SpecialAffixes {
  readonly before: readonly number[];
  readonly after: readonly number[];
}

/** @throws UnsupportedFeature for a post-processor other than ByteLevel (which changes no id) and TemplateProcessing */
export function readSpecialAffixes(postProcessor: unknown): SpecialAffixes {
  let affixes: SpecialAffixes = { before: [], after: [] };
  for (const step of sequence(postProcessor, "processors", "post_processor")) {
    if (step["type"] === "ByteLevel") continue;
    if (step["type"] !== "TemplateProcessing") throw new UnsupportedFeature(`post_processor ${String(step["type"])}`);
    const own = readTemplate(step);
    affixes = { before: [...own.before, ...affixes.before], after: [...affixes.after, ...own.after] };
  }
  return affixes;
}

function readTemplate(step: Shape): SpecialAffixes {
  const before: number[] = [];
  const after: number[] = [];
  const idsOf = asShape(step["special_tokens"], "special_tokens");
  let target = before;
  for (const item of asList(step["single"], "single")) {
    const piece = asShape(item, "single");
    if (piece["SpecialToken"] !== undefined) {
      const name = asShape(piece["SpecialToken"], "SpecialToken")["id"];
      target.push(...idList(asShape(idsOf[String(name)], "special_tokens")["ids"]));
    } else if (target === before && asShape(piece["Sequence"], "Sequence")["id"] === "A") {
      target = after;
    } else {
      throw new UnsupportedFeature("TemplateProcessing without exactly one text");
    }
  }
  if (target === before) throw new UnsupportedFeature("TemplateProcessing without a text");
  return { before, after };
}

function idList(value: unknown): readonly number[] {
  return asList(value, "ids").map((id) => {
    if (typeof id !== "number") throw new UnsupportedFeature("an id that is not a number");
    return id;
  });
}
