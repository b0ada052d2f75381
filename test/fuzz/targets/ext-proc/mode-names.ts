const modeNames = ["none", "streamed", "buffered", "partial", "duplex"] as const;

/** A gateway that does not tell sends full duplex; what no version has passes piece by piece. */
export function nameOf(mode: number | undefined): (typeof modeNames)[number] {
  return mode === undefined ? "duplex" : (modeNames[mode] ?? "streamed");
}

/** Whether the body is gathered before the request is placed. */
export function gathers(mode: string): boolean {
  return mode !== "none" && mode !== "streamed";
}
