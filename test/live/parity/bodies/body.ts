import { Chance, derivedSeed } from "./chance.ts";
import { chatBody } from "./chat-body.ts";
import { completionBody } from "./completion-body.ts";
import {
  anyDamage,
  anySpelling,
  type Damage,
  damagedText,
  type JsonNode,
  members,
  type Spelling,
  write,
} from "./json-node.ts";
import { messagesBody } from "./messages-body.ts";
import { mutated } from "./mutation.ts";
import { responsesBody } from "./responses-body.ts";

/** Stands in a body for the name of the model that it is sent to. */
const modelPlaceholder = "{MODEL}";

/** A request for any model. */
export interface ComposedBody {
  /** `seed/index`: makes the same body again. */
  readonly name: string;
  readonly path: string;
  readonly tree: JsonNode;
  readonly spelling: Spelling;
  readonly damage: Damage | undefined;
}

/**
 * The `index`th body of a seed.
 * @param spoilt share of bodies that are changed at one place or more, 0 to 1
 */
export function composeBody(seed: number, index: number, spoilt: number): ComposedBody {
  const chance = new Chance(derivedSeed(seed, index));
  const [path, compose] = chance.oneOf<readonly [string, (chance: Chance) => JsonNode]>(
    [8, () => ["/v1/chat/completions", chatBody]],
    [3, () => ["/v1/completions", completionBody]],
    [7, () => ["/v1/responses", responsesBody]],
    [5, () => ["/v1/messages", messagesBody]],
  );
  let tree = withModel(compose(chance), chance);
  if (chance.is(spoilt)) {
    tree = mutated(tree, chance);
    if (chance.is(0.15)) tree = mutated(tree, chance);
  }
  const spelling = anySpelling(chance);
  return { name: `${seed}/${index}`, path, tree, spelling, damage: chance.maybe(spoilt / 6, () => anyDamage(chance)) };
}

function withModel(body: JsonNode, chance: Chance): JsonNode {
  if (body.kind !== "object") return body;
  const at = chance.integer(0, body.members.length);
  const name = chance.usually([modelPlaceholder], ["", " ", "other-model", `${modelPlaceholder} `]);
  return members(body.members.toSpliced(at, 0, ["model", { kind: "text", text: name }]));
}

/** The text of a body as it is sent to a model. */
export function bodyText(
  { tree, spelling, damage }: Pick<ComposedBody, "tree" | "spelling" | "damage">,
  model: string,
): string {
  return damagedText(write(tree, spelling).replace(modelPlaceholder, model), damage);
}
