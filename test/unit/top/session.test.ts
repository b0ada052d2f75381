import { performance } from "node:perf_hooks";
import { expect, it } from "vitest";
import type { Canvas } from "../../../src/top/canvas.ts";
import { TopSession, unicodeGlyphs } from "../../../src/top/index.ts";
import { KeyReader } from "../../../src/top/keys.ts";
import { examplePick, exampleState } from "../../support/top/example-state.ts";

/** A session that has drawn its first state, and what was drawn since. */
async function session(pick = examplePick()) {
  const shown: Canvas[] = [];
  const started = Promise.withResolvers<void>();
  const made = new TopSession(
    { state: async () => exampleState(), explained: async () => pick },
    {
      size: { columns: 120, rows: 40 },
      show: (canvas) => {
        if (shown.push(canvas) === 2) started.resolve();
      },
      forget: () => undefined,
    },
    {
      url: "http://x",
      glyphs: unicodeGlyphs,
      intervalMs: 60_000,
      now: () => performance.now(),
      suspend: () => undefined,
    },
  );
  const over = made.run(() => true);
  await started.promise;
  shown.length = 0;
  const text = () => shown.at(-1)?.lines().join("\n") ?? "";
  return {
    made,
    shown,
    text,
    end: () => {
      made.end();
      return over;
    },
    type: (keys: string) => made.press(new KeyReader().push(keys)),
  };
}

it("draws once what was pressed together, and takes no more of a filter than it may", async () => {
  const { shown, text, type, end } = await session();
  type(`/${"x".repeat(65_536)}`);
  expect(shown).toHaveLength(1);
  expect(text()).toMatch(/\/x{1,100}_/);
  type("\u001b");
  await end();
});

it("takes keys by what those before them have listed", async () => {
  const [one, other] = [await session(), await session()];
  for (const key of ["/", "g", "p", "u", "-", "1", "\r", "\r"]) one.type(key);
  other.type("/gpu-1\r\r");
  expect(other.text()).toBe(one.text());
  await Promise.all([one.end(), other.end()]);
});

it("says that an explanation cannot be shown, and goes on", async () => {
  const { text, type, end } = await session({ ...examplePick(), explanation: { answering: {} } } as never);
  type("\t\r");
  await Promise.resolve();
  await Promise.resolve();
  expect(text()).toContain("cannot be shown by this version");
  await end();
});
