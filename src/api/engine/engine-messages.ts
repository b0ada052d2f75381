import { Untokenizable } from "./untokenizable.ts";

/** Each engine converts Messages in its own way. */
export function engineMessages(): never {
  throw new Untokenizable("the engine's form of Messages is not known here");
}
