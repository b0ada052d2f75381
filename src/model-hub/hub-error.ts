/** A model cannot be had from the hub. The message says why, and what can be done. */
export class HubError extends Error {
  override readonly name = "HubError";
}
