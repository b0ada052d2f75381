import type { Engine } from "./profile.ts";

/** Numbers of a release, as 0.5.23. */
type Release = readonly [number, number, number];

/** The releases that `docs/parity.md` is about. */
const newest: Readonly<Record<Engine, Release>> = { vllm: [0, 33, 0], sglang: [0, 5, 23] };

/** The oldest ones whose reading of conversations was compared with their own code; nothing is known of those before. */
const oldest: Readonly<Record<Engine, Release>> = { vllm: [0, 30, 0], sglang: [0, 5, 20] };

/** From this one on SGLang hands tools to the template as the client sent them. */
const toolsAsSent: Release = [0, 5, 23];

/** From this one on SGLang makes of a Responses request what the newest does. */
const oldestResponses: Release = [0, 5, 22];

/**
 * Why conversations are not known behind a release; undefined when they are.
 * @param version undefined: the newest
 * @param usesHarmony of that format the newest form alone is known
 */
export function unknownVersion(engine: Engine, version: string | undefined, usesHarmony: boolean): string | undefined {
  const from = usesHarmony && engine === "vllm" ? newest[engine] : oldest[engine];
  return isBefore(version, from) ? reason(engine, version, from) : undefined;
}

export interface SglangVersionTraits {
  readonly showsToolsAsSent: boolean;
  /** Why prompts of Responses are not known; undefined when they are. */
  readonly unknownResponses: string | undefined;
}

export function sglangVersionTraits(version: string | undefined, usesHarmony: boolean): SglangVersionTraits {
  const from = usesHarmony ? newest.sglang : oldestResponses;
  return {
    showsToolsAsSent: !isBefore(version, toolsAsSent),
    unknownResponses: isBefore(version, from) ? reason("sglang", version, from) : undefined,
  };
}

function reason(engine: Engine, version: string | undefined, from: Release): string {
  return `engineVersion ${version}: how ${engine} reads these requests is known from ${from.join(".")} on`;
}

/** What follows the three numbers does not count: `0.5.15.post1` is 0.5.15. */
function isBefore(version: string | undefined, release: Release): boolean {
  if (version === undefined) return false;
  const numbers = version.split(".").map((part) => Number.parseInt(part, 10));
  for (const [at, wanted] of release.entries()) {
    const number = numbers[at] ?? 0;
    if (number !== wanted) return number < wanted;
  }
  return false;
}
