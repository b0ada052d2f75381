import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { jevBody, openAiBody } from "../../support/decisions/bodies.ts";
import { DecisionBench } from "../../support/decisions/decision-bench.ts";

let bench: DecisionBench;

beforeAll(async () => {
  bench = await DecisionBench.start({ workers: 1 });
}, 60_000);

afterAll(() => bench?.close());

/** Values of the shapes that the contracts know, and others. */
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom(
      null,
      true,
      false,
      0,
      -0,
      1e308,
      1.5,
      "",
      " ",
      "x",
      "\ud83d\ude42",
      "predicate",
      "noul",
      "choice",
      "score",
    ),
    fc.string({ unit: "grapheme", maxLength: 20 }),
    fc.array(tie("any"), { maxLength: 4 }),
    fc.dictionary(
      fc.oneof(
        fc.string({ unit: "grapheme", maxLength: 6 }),
        fc.constantFrom(
          "type",
          "instructions",
          "criteria",
          "name",
          "choices",
          "levels",
          "value",
          "label",
          "1",
          "__proto__",
          "constructor",
        ),
      ),
      tie("any"),
      { maxKeys: 5 },
    ),
  ),
})).any;

/** A good body with a few members exchanged. */
function changed(body: object) {
  const members = [...Object.keys(body), "nvext", "stream", "images", "safety_identifier", "temperature"];
  return fc
    .dictionary(fc.constantFrom(...members), value, { minKeys: 1, maxKeys: 2 })
    .map((changes) => JSON.stringify({ ...body, ...changes }));
}

/** Text that is damaged somewhere. */
function damaged(body: object) {
  const text = JSON.stringify(body);
  return fc
    .tuple(
      fc.nat(text.length),
      fc.nat(3),
      fc.constantFrom("", "{", "}", "[", '"', "\\", ",", "\u0000", "1e999", "\ud83d"),
    )
    .map(([at, deleted, inserted]) => text.slice(0, at) + inserted + text.slice(at + deleted));
}

it.each([
  { route: "decisions" as const, body: openAiBody },
  { route: "systemone" as const, body: jevBody },
])(
  "no body of /v1/$route is an error of ours",
  async ({ route, body }) => {
    const bodies = fc.oneof(
      changed(body),
      damaged(body),
      value.map((any) => JSON.stringify(any)),
    );
    await fc.assert(
      fc.asyncProperty(bodies, async (text) => {
        const answer = await bench[route](Buffer.from(text));
        expect([200, 400, 404, 422]).toContain(answer.status);
        expect(() => JSON.parse(answer.body.toString())).not.toThrow();
      }),
      { numRuns: 300 },
    );
  },
  60_000,
);
