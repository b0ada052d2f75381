import { isIP } from "node:net";
import { isPort, listOf, memberOf, textOf, textsOf, wholeNumberOf } from "./fields.ts";

/** A port that a container declares. */
export interface ContainerPort {
  readonly name: string | undefined;
  readonly number: number;
  /** Restarts of its container so far. */
  readonly restarts: number;
}

/** What is kept of a pod. */
export interface Pod {
  readonly name: string;
  readonly uid: string;
  /** Of the object: with the same one it is the same in all it says. Undefined = not told. */
  readonly version: string | undefined;
  /** Undefined until it has one. */
  readonly ip: string | undefined;
  /** Whether it may get requests: ready, and not being deleted. */
  readonly isReady: boolean;
  /** Its processes have ended for good: its address may be another pod's. */
  readonly isOver: boolean;
  readonly labels: ReadonlyMap<string, string>;
  readonly annotations: ReadonlyMap<string, string>;
  readonly ports: readonly ContainerPort[];
  /** Restarts of its only container; undefined when it has several. */
  readonly restarts: number | undefined;
}

/** Reads a Pod of the core API. @returns undefined for what is none */
export function readPod(object: unknown): Pod | undefined {
  const metadata = memberOf(object, "metadata");
  const name = textOf(memberOf(metadata, "name"));
  const uid = textOf(memberOf(metadata, "uid"));
  if (name === undefined || uid === undefined) return undefined;
  const status = memberOf(object, "status");
  const ip = textOf(memberOf(status, "podIP"));
  const phase = textOf(memberOf(status, "phase"));
  const restarts = restartsByContainer(status);
  return {
    name,
    uid,
    version: textOf(memberOf(metadata, "resourceVersion")),
    ip: ip !== undefined && isIP(ip) !== 0 ? ip : undefined,
    isReady: isConditionTrue(status, "Ready") && memberOf(metadata, "deletionTimestamp") === undefined,
    isOver: phase === "Succeeded" || phase === "Failed",
    labels: textsOf(memberOf(metadata, "labels")),
    annotations: textsOf(memberOf(metadata, "annotations")),
    ports: portsOf(object, restarts),
    restarts: restarts.size === 1 ? [...restarts.values()][0] : undefined,
  };
}

function isConditionTrue(status: unknown, type: string): boolean {
  return listOf(memberOf(status, "conditions")).some(
    (condition) => memberOf(condition, "type") === type && memberOf(condition, "status") === "True",
  );
}

function restartsByContainer(status: unknown): ReadonlyMap<string, number> {
  return new Map(
    listOf(memberOf(status, "containerStatuses")).map((container) => [
      textOf(memberOf(container, "name")) ?? "",
      wholeNumberOf(memberOf(container, "restartCount")) ?? 0,
    ]),
  );
}

/** Those of init containers as well: sidecars are such. */
function portsOf(object: unknown, restarts: ReadonlyMap<string, number>): readonly ContainerPort[] {
  const spec = memberOf(object, "spec");
  const containers = [...listOf(memberOf(spec, "containers")), ...listOf(memberOf(spec, "initContainers"))];
  return containers.flatMap((container) =>
    listOf(memberOf(container, "ports")).flatMap((port): ContainerPort[] => {
      const number = wholeNumberOf(memberOf(port, "containerPort"));
      if (!isPort(number)) return [];
      const of = restarts.get(textOf(memberOf(container, "name")) ?? "") ?? 0;
      return [{ name: textOf(memberOf(port, "name")), number, restarts: of }];
    }),
  );
}

/** Times that the process behind a port was started again: with it its cache is empty. */
export function restartsBehind(pod: Pod, port: number): number {
  return pod.ports.find(({ number }) => number === port)?.restarts ?? pod.restarts ?? 0;
}

/** A port by its number or by the name that a container gives it. @returns undefined when no container has that name */
export function portNamed(pod: Pod, port: number | string): number | undefined {
  if (typeof port === "number") return port;
  if (/^\d+$/.test(port)) return isPort(Number(port)) ? Number(port) : undefined;
  return pod.ports.find(({ name }) => name === port)?.number;
}
