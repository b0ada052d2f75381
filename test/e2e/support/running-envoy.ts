import { fetch } from "undici";
import type { EnvoyPorts } from "./envoy-patches.ts";
import { until } from "./until.ts";

/** An Envoy that a launcher has started. */
export interface RunningEnvoy {
  /** Ends it and waits for its end. Returns how it ended, such as `exit code 0`. */
  stop(): Promise<string>;
  /** Throws, with its last output, when it has ended by itself. */
  assertRunning(): void;
  /** The last access log lines and messages, for the report of a failed test. */
  tail(): string;
}

/** Starts an Envoy 1.40 with a configuration: as a process, or in a container. */
export interface EnvoyLauncher {
  readonly name: string;
  /** What {@link RunningEnvoy.stop} returns of an Envoy that ended well. */
  readonly cleanEnding: string;
  start(configYaml: string): Promise<RunningEnvoy>;
}

/** Waits until Envoy serves. */
export async function envoyReady(ports: EnvoyPorts, envoy: RunningEnvoy): Promise<void> {
  const look = async (): Promise<boolean> => (await adminText(ports, "/ready")).trim() === "LIVE";
  await until(look, { what: "Envoy to be ready", timeoutMs: 20_000, check: () => envoy.assertRunning() });
}

/** Waits until Envoy's health check sees the picker up, or down. */
export async function pickerSeen(ports: EnvoyPorts, state: "up" | "down"): Promise<void> {
  const wanted = state === "up" ? 1 : 0;
  const look = async (): Promise<boolean> => (await envoyStat(ports, "cluster.picker.membership_healthy")) === wanted;
  await until(look, { what: `Envoy to see the picker ${state}`, timeoutMs: 15_000 });
}

/** One counter or gauge of Envoy's, by its full name; 0 when it does not exist yet. */
export async function envoyStat(ports: EnvoyPorts, name: string): Promise<number> {
  const text = await adminText(ports, `/stats?filter=^${name.replaceAll(".", "\\.")}$`);
  const value = text.split(": ")[1];
  return value === undefined ? 0 : Number(value);
}

async function adminText(ports: EnvoyPorts, path: string): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${ports.admin}${path}`);
  return await response.text();
}
