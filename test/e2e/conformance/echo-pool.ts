import { post } from "../support/client.ts";
import { freePorts } from "../support/free-ports.ts";
import type { Gateway } from "../support/gateway.ts";
import type { PickerSettings } from "../support/picker.ts";
import { type AppProtocol, type Echo, EchoPod } from "./echo-pod.ts";

/** The header by which the tests choose endpoints. */
const selectionHeader = "test-epp-endpoint-selection";

/** The header by which the picker tells who served. */
export const servedHeader = "x-conformance-test-served-endpoint";

/** The model that the tests ask for. */
const model = "conformance-fake-model";

/** Settings of a picker under test: the tests' model, routed by load, and their headers honoured. */
export const conformancePicker: PickerSettings = {
  models: [{ name: model, loadOnly: true, blockSize: 16 }],
  extProc: { conformanceHeaders: true },
};

/** How {@link startPool} makes a pool. */
export interface PoolOptions {
  readonly name: string;
  /** Third number of the pods' addresses `127.0.n.1` and up: another one for each pool. */
  readonly subnet: number;
  /** Default 1. */
  readonly portsPerPod?: number;
  /** Default http. */
  readonly protocol?: AppProtocol;
}

/** Three pods, all with the same ports. */
export async function startPool(options: PoolOptions): Promise<readonly EchoPod[]> {
  const { name, subnet, portsPerPod = 1, protocol = "http" } = options;
  const ports = await freePorts(portsPerPod);
  const start = (index: number) => EchoPod.start(`${name}-${index}`, `127.0.${subnet}.${index + 1}`, ports, protocol);
  return await Promise.all([0, 1, 2].map(start));
}

/** What came back of a request, or why nothing did. */
export interface Outcome {
  readonly status: number;
  readonly echo: Echo;
  readonly servedEndpoint: string | string[] | undefined;
}

/** A completion as the conformance tests send them: to a path that no API has. */
export async function send(
  gateway: Gateway,
  selection: readonly string[] | undefined,
  path = "/any",
): Promise<Outcome> {
  const body = JSON.stringify({
    model,
    prompt: "Write as if you were a critic: San Francisco",
  });
  const headers: Record<string, string> = selection === undefined ? {} : { [selectionHeader]: selection.join(",") };
  const answer = await post(gateway, path, body, headers);
  if (answer.status !== 200) throw new Error(`status ${answer.status}: ${answer.body}`);
  return { status: answer.status, echo: JSON.parse(answer.body) as Echo, servedEndpoint: answer.headers[servedHeader] };
}

/** Sends `count` of them, 10 at a time. */
export async function sendMany(
  gateway: Gateway,
  selection: readonly string[] | undefined,
  count = 100,
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  let left = count;
  const sender = async () => {
    while (left-- > 0) outcomes.push(await send(gateway, selection));
  };
  await Promise.all(Array.from({ length: 10 }, sender));
  return outcomes;
}

/** `pod:port` of those that answered, each once, sorted. */
export function reached(outcomes: readonly Outcome[]): readonly string[] {
  return [...new Set(outcomes.map(({ echo }) => `${echo.pod}:${echo.httpPort}`))].sort();
}

/** `pod:port` of all ports of these pods, sorted. */
export function allPorts(pods: readonly EchoPod[]): readonly string[] {
  return pods.flatMap(({ name, ports }) => ports.map((port) => `${name}:${port}`)).sort();
}
