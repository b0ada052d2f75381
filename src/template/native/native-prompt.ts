import { translated } from "../translated.ts";
import { type NativeFamily, rendererOf } from "./family.ts";
import type { NativeRequest } from "./native-renderer.ts";

/** Builds a model's prompts without a template, as the Dynamo frontend does for some families. */
export interface NativePrompt {
  /**
   * The prompt in pieces, none empty; a message's text is one.
   * @throws RoutingError `invalid_request` where the frontend refuses the conversation
   */
  renderPieces(request: NativeRequest): readonly string[];
}

export function nativePrompt(family: NativeFamily): NativePrompt {
  const renderer = rendererOf(family);
  const renderPieces = (request: NativeRequest): readonly string[] => {
    try {
      return renderer.render(request);
    } catch (cause) {
      throw translated(cause);
    }
  };
  return { renderPieces };
}
