import { expect, it } from "vitest";
import { notServedText } from "../../../src/router/index.ts";

it.each([
  { name: "a", served: [], text: 'the model "a" is not served here' },
  { name: "a", served: ["b", "c"], text: 'the model "a" is not served here; served here: "b", "c"' },
  {
    name: "a",
    served: ["1", "2", "3", "4", "5", "6", "7"],
    text: 'the model "a" is not served here; served here: "1", "2", "3", "4", "5" and 2 more',
  },
  { name: "x".repeat(129), served: [], text: `the model "${"x".repeat(128)}…" is not served here` },
  { name: "a\r\nb\u0000\u202ec\u2028", served: [], text: 'the model "a??b??c?" is not served here' },
  { name: `${"x".repeat(127)}\u{1f600}`, served: [], text: `the model "${"x".repeat(127)}?…" is not served here` },
  { name: "modèle/模型", served: [], text: 'the model "modèle/模型" is not served here' },
])("names the model that was asked for, cut and without what is not seen: $text", ({ name, served, text }) => {
  expect(notServedText(name, served)).toBe(text);
});
