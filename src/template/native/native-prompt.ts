import { translated } from "../translated.ts";
import { type NativeFamily, rendererOf } from "./family.ts";
import type { NativePieces, NativeRequest } from "./native-renderer.ts";

/** Builds a model's prompts without a template, as the Dynamo frontend does for some families. */
export interface NativePrompt {
  /**
   * The prompt, of which a message's text is a piece.
   * @throws RoutingError `invalid_request` where the frontend refuses the conversation
   */
  renderPieces(request: NativeRequest): NativePieces;
}

export function nativePrompt(family: NativeFamily): NativePrompt {
  const renderer = rendererOf(family);
  const renderPieces = (request: NativeRequest): NativePieces => {
    try {
      return renderer.render(request);
    } catch (cause) {
      throw translated(cause);
    }
  };
  return { renderPieces };
}
