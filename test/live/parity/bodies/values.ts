import { agentDescription, agentSchema, agentToolName } from "./agent-tools.ts";
import type { Chance } from "./chance.ts";
import { type JsonNode, lexeme, members, type NodeSource, node, write } from "./json-node.ts";
import { strictSchema } from "./strict-schema.ts";
import { functionName, sentence, text } from "./texts.ts";

const numbers = [
  "0",
  "-0",
  "-0.0",
  "1",
  "1.0",
  "5.0",
  "1e5",
  "1E+2",
  "1e-7",
  "0.1",
  "2.5e-10",
  "1e16",
  "1e22",
  "12345678901234567890",
  "18446744073709551616",
  "-9223372036854775808",
  "-9223372036854775809",
  "123456789012345678901234567890",
  "0.30000000000000004",
  "1.7976931348623157e308",
  "5e-324",
  "3.0000000000000001",
  "100000000000000000000000.5",
  "9007199254740993",
  "9007199254740993.0",
];

const keys = [
  "city",
  "unit",
  "b",
  "a",
  "10",
  "2",
  "01",
  'k"ey',
  "é",
  "名前",
  "",
  "default",
  "items",
  "type",
  "__proto__",
  "get",
  "keys",
];

/** Any JSON value: numbers in all spellings, keys in any order, integer-like ones among them, some repeated. */
export function value(chance: Chance, depth = 2): JsonNode {
  return chance.oneOf(
    [3, () => node(text(chance))],
    [3, () => lexeme(chance.pick(numbers))],
    [2, () => node(chance.pick([true, false, null]))],
    [depth > 0 ? 2 : 0, () => node(chance.list(0, 3, () => value(chance, depth - 1)))],
    [depth > 0 ? 3 : 0, () => object(chance, depth - 1)],
  );
}

/** An object of any members. */
export function object(chance: Chance, depth = 2): JsonNode {
  return members(chance.list(0, 4, () => [chance.pick(keys), value(chance, depth)] as const));
}

/** Arguments of an earlier call, as JSON text; some of them none. */
export function argumentsText(chance: Chance): string {
  return chance.oneOf(
    [6, () => write(object(chance), { space: chance.pick(["", " ", "\n"]), escapes: chance.is(0.3) })],
    [2, () => '{"city":"Paris"}'],
    [
      chance.odd(1),
      () =>
        chance.pick([
          "",
          " ",
          "{}",
          "{",
          "[1,2]",
          "3",
          "null",
          '"x"',
          "{} {}",
          '{"a":1,"a":2}',
          '{"a":"\\ud800"}',
          '{"a":\n"b\tc"}',
          '{"a":NaN}',
          '{"a":1e400}',
          ' {"a": 1} ',
        ]),
    ],
  );
}

/** A JSON schema of a function's parameters, or what passes for one. */
export function parameters(chance: Chance): JsonNode {
  if (chance.is(0.2)) return agentSchema(chance);
  const property = (): NodeSource =>
    chance.oneOf<NodeSource>(
      [
        3,
        () => ({
          type: chance.pick(["string", "integer", "number", "boolean"]),
          description: chance.maybe(0.6, () => text(chance)),
        }),
      ],
      [
        1,
        () => ({
          type: "string",
          enum: chance.list(1, 3, () => sentence(chance)),
          default: chance.maybe(0.3, () => value(chance, 0)),
        }),
      ],
      [1, () => ({ type: "array", items: { type: "string" }, minItems: chance.maybe(0.3, () => 1) })],
      [1, () => ({ type: "object", properties: { x: { type: "number", default: lexeme(chance.pick(numbers)) } } })],
      [1, () => object(chance, 1)],
    );
  const properties = chance.list(0, 3, () => [chance.pick(keys), property()] as const);
  return chance.oneOf(
    [
      6,
      () =>
        node({
          type: "object",
          properties: members(properties),
          required: chance.maybe(0.5, () => properties.map(([key]) => key)),
          additionalProperties: chance.maybe(0.3, () => chance.is(0.5)),
        }),
    ],
    [1, () => node({ properties: members(properties) })],
    [1, () => node({ type: "object" })],
    [0.5, () => node({})],
    [1, () => strictSchema(chance)],
    [0.5, () => object(chance)],
  );
}

/** What `function` of a chat tool holds, and a Responses tool itself. */
export function functionFields(chance: Chance): { readonly [key: string]: NodeSource } {
  const isStrict = chance.is(0.12);
  const given = {
    name: chance.is(0.2) ? agentToolName(chance) : functionName(chance),
    description: chance.oneOf<NodeSource>(
      [4, () => text(chance)],
      [1, () => agentDescription(chance)],
      [2, () => undefined],
      [1, () => null],
    ),
    parameters: chance.oneOf<NodeSource>(
      [8, () => (isStrict ? strictSchema(chance) : parameters(chance))],
      [1, () => undefined],
      [1, () => null],
    ),
    strict:
      isStrict ||
      chance.oneOf<NodeSource>([6, () => undefined], [2, () => false], [chance.odd(1), () => true], [1, () => null]),
    defer_loading: chance.maybe(0.05, () => true),
  };
  return chance.is(0.3) ? Object.fromEntries(Object.entries(given).toReversed()) : given;
}
