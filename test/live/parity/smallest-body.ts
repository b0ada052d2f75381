import { type JsonNode, members } from "./bodies/json-node.ts";

/** Most trials of one search: each is a request. */
const maxTrials = 400;

/**
 * A body as small as can be found for which `stillDiffers` holds, as it does for `root`: members and items are left out, texts
 * are cut, values are replaced by what they hold.
 */
export async function smallestBody(
  root: JsonNode,
  stillDiffers: (candidate: JsonNode) => Promise<boolean>,
): Promise<JsonNode> {
  let smallest = root;
  let trials = 0;
  for (let isSmaller = true; isSmaller; ) {
    isSmaller = false;
    for (const candidate of simpler(smallest)) {
      if (++trials > maxTrials) return smallest;
      if (!(await stillDiffers(candidate))) continue;
      smallest = candidate;
      isSmaller = true;
      break;
    }
  }
  return smallest;
}

/** Trees that are one step simpler, the boldest steps first. */
function* simpler(value: JsonNode): Generator<JsonNode> {
  if (value.kind === "text") yield* shorterTexts(value.text);
  if (value.kind === "array") {
    for (const at of value.items.keys()) yield { kind: "array", items: value.items.toSpliced(at, 1) };
    for (const [at, item] of value.items.entries()) {
      for (const candidate of simpler(item)) yield { kind: "array", items: value.items.with(at, candidate) };
    }
  }
  if (value.kind !== "object") return;
  for (const at of value.members.keys()) yield members(value.members.toSpliced(at, 1));
  for (const [at, [key, member]] of value.members.entries()) {
    for (const candidate of simpler(member)) yield members(value.members.with(at, [key, candidate]));
  }
}

function* shorterTexts(text: string): Generator<JsonNode> {
  const characters = [...text];
  for (let size = characters.length; size >= 1; size = Math.floor(size / 2)) {
    for (let at = 0; at < characters.length; at += size) {
      yield { kind: "text", text: characters.toSpliced(at, size).join("") };
    }
  }
}
