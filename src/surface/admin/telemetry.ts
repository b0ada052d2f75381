/** Why the console refused a request. Stable: metrics show it. */
export type ConsoleRefusalReason = "host" | "other_site" | "token" | "readers";

/** Told what happens at the console. */
export interface ConsoleTelemetry {
  refused(reason: ConsoleRefusalReason): void;
}
