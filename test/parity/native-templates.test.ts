import { describe, expect, it } from "vitest";
import { parseRequest } from "../../src/api/index.ts";
import { RoutingError } from "../../src/errors/index.ts";
import { ChatRenderer } from "../../src/model/chat-renderer.ts";
import { profileByName } from "../../src/model/profile.ts";
import { type NativeFamily, nativeFamilyOf, nativePrompt } from "../../src/template/index.ts";
import { fixtureLines } from "../support/templates/fixtures.ts";

interface Answer {
  /** `model_type`, with hyphens. */
  readonly family: string;
  readonly raw: string;
  readonly status: number;
  /** Absent when the request is refused. */
  readonly prompt?: string;
}

const answers = fixtureLines("native.jsonl.gz").map((line) => JSON.parse(line) as Answer);

/** The prompt; undefined when the request is refused. */
function render(family: NativeFamily, raw: string): string | undefined {
  const sources = { default: undefined, toolUse: undefined };
  const renderer = new ChatRenderer(profileByName("dynamo"), sources, [], { native: nativePrompt(family) });
  try {
    const options = { dialect: "dynamo", refuseUnknownShapes: false, maxDepth: 128 } as const;
    const parsed = parseRequest("/v1/chat/completions", Buffer.from(raw), options);
    if (parsed.api !== "chat") throw new TypeError("a chat request expected");
    return renderer.render(parsed.chat).pieces.join("").replaceAll("\0", "");
  } catch (error) {
    if (error instanceof RoutingError) return undefined;
    throw error;
  }
}

describe.each([...new Set(answers.map(({ family }) => family))])("prompts of %s in the Dynamo frontend", (name) => {
  const family = nativeFamilyOf(name.replaceAll("-", "_"), "x");
  const own = answers.filter((answer) => answer.family === name);

  it("are ours, and so are its refusals", () => {
    if (family === undefined) throw new TypeError(`no family ${name}`);
    expect(own.length).toBe(60);
    for (const { raw, prompt } of own) expect(render(family, raw), raw).toBe(prompt);
  });

  it("are of both kinds", () => {
    expect(own.filter(({ prompt }) => prompt !== undefined).length).toBeGreaterThan(20);
    expect(own.filter(({ status }) => status === 400).length).toBeGreaterThan(3);
  });
});
