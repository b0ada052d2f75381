import { UnsupportedTemplateError } from "../template-errors.ts";
import type { NativeRenderer } from "./native-renderer.ts";

/** Kimi K3, whose tokens depend on which parts of the prompt may hold special ones. */
export const kimiK3: NativeRenderer = {
  render() {
    throw new UnsupportedTemplateError("Kimi K3 is rendered in segments");
  },
};
