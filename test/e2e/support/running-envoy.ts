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
  await until(look, { what: "Envoy to be ready", timeoutMs: 60_000, check: () => envoy.assertRunning() });
}

/**
 * Waits until Envoy's health check sees the picker up; fails at once when `picker` has ended.
 * @param timeoutMs models are loaded in it: each takes a second or two; a busy machine needs many times that
 */
export async function pickerSeen(
  ports: EnvoyPorts,
  picker: { assertRunning(): void },
  timeoutMs = 60_000,
): Promise<void> {
  const look = async (): Promise<boolean> => (await healthyPickers(ports)) === 1;
  await until(look, { what: "Envoy to see the picker up", timeoutMs, check: () => picker.assertRunning() });
}

/** Waits until Envoy's health check sees that there is no picker. */
export async function pickerGone(ports: EnvoyPorts): Promise<void> {
  const look = async (): Promise<boolean> => (await healthyPickers(ports)) === 0;
  await until(look, { what: "Envoy to see the picker gone" });
}

/** Pickers that Envoy holds for healthy. */
async function healthyPickers(ports: EnvoyPorts): Promise<number> {
  const name = "cluster.picker.membership_healthy";
  const text = await adminText(ports, `/stats?filter=^${name.replaceAll(".", "\\.")}$`);
  return Number(text.split(": ")[1]);
}

async function adminText(ports: EnvoyPorts, path: string): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${ports.admin}${path}`);
  return await response.text();
}
