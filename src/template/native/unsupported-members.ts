import { TemplateRefusal } from "../template-errors.ts";
import type { NativeRequest } from "./native-renderer.ts";

/** Refuses members of messages that only few families understand (dynamo-renderer@8.0.3 lib.rs). */
export function refuseUnsupportedMembers({ messages }: NativeRequest): void {
  for (const message of messages) {
    const tools = message.get("tools");
    const hasTools = tools !== undefined && tools !== null && !(Array.isArray(tools) && tools.length === 0);
    if (message.get("partial") === true || hasTools) throw new TemplateRefusal();
  }
}
