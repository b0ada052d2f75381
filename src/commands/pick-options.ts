import type { Config } from "../config/index.ts";
import { type PickOptions, resolvePickOptions } from "../pick/index.ts";

/** The settings `routing` as the choice takes them. */
export function pickOptionsOf({ routing }: Pick<Config, "routing">): Required<PickOptions> {
  const { maxFallbacks: _fallbacks, refuseUnknownShapes: _shapes, maxJsonDepth: _depth, ...pick } = routing;
  return resolvePickOptions(pick);
}
