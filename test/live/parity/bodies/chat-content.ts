import type { Chance } from "./chance.ts";
import type { NodeSource } from "./json-node.ts";
import { text } from "./texts.ts";

/** Content of a message of any role: mostly a text. */
export function textContent(chance: Chance): NodeSource {
  return chance.is(0.8) ? text(chance) : textParts(chance);
}

export function textParts(chance: Chance): readonly NodeSource[] {
  return chance.list(chance.isOdd() ? 0 : 1, 3, () => ({
    type: "text",
    text: text(chance),
    cache_control: chance.maybe(0.1, () => ({ type: "ephemeral" })),
    prompt_cache_breakpoint: chance.maybe(0.03, () =>
      chance.usually<NodeSource>([{ mode: "explicit" }, null], [{}, { mode: "auto" }]),
    ),
  }));
}

const uuid = "123e4567-e89b-12d3-a456-426614174000";

const addresses = ["https://example.com/a b.png", "http://EXAMPLE.com", "data:image/png;base64,AAAA", "file:///a.png"];

/** An image, video or sound, in all its forms. */
export function mediaPart(chance: Chance): NodeSource {
  const type = chance.pick(["image_url", "image_url", "video_url", "audio_url"]);
  const media = {
    url: chance.usually(addresses, ["not an address", ""]),
    detail: chance.maybe(0.3, () => chance.usually<NodeSource>(["low", "original", null], ["tiny"])),
    uuid: chance.maybe(0.1, () => chance.usually([uuid, `{${uuid}}`], ["x"])),
  };
  return chance.oneOf<NodeSource>(
    [6, () => ({ type, [type]: media, uuid: chance.maybe(0.2, () => chance.usually<NodeSource>(["u", null], [""])) })],
    [chance.odd(1), () => ({ type, [type]: null, uuid: chance.maybe(0.7, () => "u") })],
    [chance.odd(1), () => ({ type, [type]: media.url })],
    [
      1,
      () => ({ type: "input_audio", input_audio: { data: "AAAA", format: chance.usually(["wav", "mp3"], ["ogg"]) } }),
    ],
    [chance.odd(1), () => ({ type: "file", file: { file_id: "f" } })],
  );
}

/** What an assistant's message may hold beside text. */
export function assistantParts(chance: Chance): readonly NodeSource[] {
  return [...textParts(chance), ...(chance.is(0.2) ? [{ type: "refusal", refusal: text(chance) }] : [])];
}
