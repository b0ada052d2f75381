import { RoutingError } from "../errors/index.ts";

/**
 * Refuses token ids that the model does not have.
 * @param bound first id too large
 * @param field where the ids came from
 */
export function checkTokenIds(tokenIds: Uint32Array, bound: number, field: string): void {
  for (let at = 0; at < tokenIds.length; at++) {
    if ((tokenIds[at] as number) >= bound) {
      throw new RoutingError(`\`${field}[${at}]\` is not a token id of the model (they are below ${bound})`, {
        code: "invalid_request",
        field: `${field}[${at}]`,
      });
    }
  }
}
