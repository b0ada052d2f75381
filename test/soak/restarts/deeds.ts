import { existsSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { sumOf } from "../../e2e/support/metrics.ts";
import { until } from "../../e2e/support/until.ts";
import type { Way } from "../load/outcome.ts";
import type { Stack } from "../stack.ts";
import type { Component } from "../support/component.ts";
import { childrenOf } from "../support/process-figures.ts";
import type { WorkerPod } from "../support/worker-pod.ts";
import type { Excuse } from "./excuses.ts";
import type { Part } from "./rounds.ts";

/** Something that is taken away and given back. */
export interface Deed {
  readonly name: string;
  /** What no other one may touch meanwhile. */
  readonly touches: readonly Part[];
  /** Returns when it is back, with what it excuses. Throws when it does not come back, or ends in another way than it should. */
  run(stack: Stack, random: () => number): Promise<readonly Excuse[]>;
}

type PickerName = keyof Stack["pickers"];

/** Longest time for anything to be noticed or to come back. A busy machine needs a large part of it. */
const longMs = 400_000;
/** What was on its way to a socket when its owner was killed has failed by then. */
const settleMs = 1_000;

/** Nothing else may excuse what fails when a worker goes, nor be hurt by it. */
const workersAndTheirWays: readonly Part[] = ["gateway", "proxy", "workers"];

/** Everything that a deployment may lose, each in the ways in which it does. */
export const deeds: readonly Deed[] = [
  { name: "picker-a drains", touches: ["gateway"], run: (stack) => drained(stack, "picker-a") },
  { name: "picker-a is killed", touches: ["gateway"], run: (stack) => killedPicker(stack, "picker-a") },
  { name: "picker-b and its shards drain", touches: ["gateway"], run: (stack) => drained(stack, "picker-b") },
  { name: "picker-b is killed", touches: ["gateway"], run: (stack) => killedPicker(stack, "picker-b") },
  { name: "a shard is killed", touches: ["gateway"], run: killedShard },
  // The queue's processor does not send again what it could not send (llm-d-async: INFERENCE_ERROR).
  {
    name: "Envoy is killed",
    touches: ["gateway", "queue"],
    run: (stack) => away(stack.envoy, "SIGKILL", ["gateway", "queue"]),
  },
  { name: "a worker crashes and is back, cold", touches: workersAndTheirWays, run: crashedWorker },
  { name: "a worker is replaced, at another address", touches: workersAndTheirWays, run: replacedWorker },
  { name: "a worker's machine is lost, and another one comes", touches: workersAndTheirWays, run: lostWorker },
  {
    name: "the proxy drains",
    touches: ["proxy"],
    run: (stack) => away(stack.pickers["proxy-a"].component, "SIGTERM", []),
  },
  { name: "the other proxy is killed", touches: ["proxy"], run: killedProxy },
  {
    name: "the route API stops",
    touches: ["route"],
    run: (stack) => away(stack.pickers.route.component, "SIGTERM", ["route"]),
  },
  {
    name: "the route API is killed",
    touches: ["route"],
    run: (stack) => away(stack.pickers.route.component, "SIGKILL", ["route"]),
  },
  { name: "the replicas' Redis is killed", touches: [], run: killedRedis },
  { name: "the queue's Valkey is killed", touches: ["queue"], run: killedValkey },
  { name: "the queue's front stops", touches: ["queue"], run: (stack) => away(stack.front, "SIGTERM", ["queue"]) },
  { name: "the queue's front is killed", touches: ["queue"], run: (stack) => away(stack.front, "SIGKILL", ["queue"]) },
  { name: "the queue's processor is killed", touches: ["queue"], run: (stack) => away(stack.processor, "SIGKILL", []) },
  { name: "the API server is away", touches: ["workers"], run: awayApiServer },
  { name: "the collector of traces is away", touches: [], run: awayCollector },
  { name: "KV events of a worker break off", touches: ["workers"], run: brokenEvents },
];

/** Ended and started again. @param ways that have nobody else to go to */
async function away(
  component: Component,
  signal: "SIGTERM" | "SIGKILL",
  ways: readonly Way[],
): Promise<readonly Excuse[]> {
  const fromMs = performance.now();
  const ending = await component.end(signal);
  const expected = signal === "SIGKILL" ? "SIGKILL" : "exit code 0";
  if (ending !== expected) throw new Error(`${component.name} ended with ${ending}: ${component.tail()}`);
  await component.spawn();
  await component.up(longMs);
  return [{ ways, fromMs, toMs: performance.now() }];
}

/** The gateway has another picker, and is told in time: nothing may fail. */
async function drained(stack: Stack, name: PickerName): Promise<readonly Excuse[]> {
  await away(stack.pickers[name].component, "SIGTERM", []);
  await seen(stack, 2);
  return [];
}

/** What it was about to answer fails, and what the gateway sends it before it has noticed. */
async function killedPicker(stack: Stack, name: PickerName): Promise<readonly Excuse[]> {
  const { component } = stack.pickers[name];
  const shards = await childrenOf(component.pid);
  const fromMs = performance.now();
  await component.end("SIGKILL");
  await seen(stack, 1);
  const toMs = performance.now() + settleMs;
  // They drain when their supervisor is gone, and hold its port until then.
  await until(() => !shards.some(isThere), { what: `the shards of ${name} to end`, timeoutMs: longMs });
  await component.spawn();
  await component.up(longMs);
  await seen(stack, 2);
  return [{ ways: ["gateway"], fromMs, toMs }];
}

async function killedShard(stack: Stack, random: () => number): Promise<readonly Excuse[]> {
  const shards = await childrenOf(stack.pickers["picker-b"].component.pid);
  const victim = shards[Math.floor(random() * shards.length)];
  if (victim === undefined) throw new Error("picker-b has no shards");
  const restarts = async () => sumOf(await stack.metricsOf("picker-b"), "pointsman_shard_restarts_total");
  const before = await restarts();
  const fromMs = performance.now();
  process.kill(victim, "SIGKILL");
  // Counted, not seen to be away: a look may come too late for that.
  await until(async () => (await restarts()) > before, { what: "the loss to be noticed", timeoutMs: longMs });
  const toMs = performance.now() + settleMs;
  const ready = async () => sumOf(await stack.metricsOf("picker-b"), "pointsman_shard_ready");
  await until(async () => (await ready()) === 2, { what: "the shard to be back", timeoutMs: longMs });
  return [{ ways: ["gateway"], fromMs, toMs }];
}

async function killedProxy(stack: Stack): Promise<readonly Excuse[]> {
  const { component } = stack.pickers["proxy-b"];
  const fromMs = performance.now();
  await component.end("SIGKILL");
  const toMs = performance.now() + settleMs;
  await component.spawn();
  await component.up(longMs);
  return [{ ways: ["proxy"], fromMs, toMs }];
}

/** What it was answering fails; whoever comes later is sent elsewhere. */
async function crashedWorker(stack: Stack, random: () => number): Promise<readonly Excuse[]> {
  const pod = anyWorker(stack, random);
  const fromMs = performance.now();
  await pod.process.end("SIGKILL");
  const toMs = performance.now() + settleMs;
  await pod.comeBack();
  return [{ ways: ["gateway", "proxy"], fromMs, toMs }];
}

async function replacedWorker(stack: Stack, random: () => number): Promise<readonly Excuse[]> {
  await stack.addWorker();
  await stack.retireWorker(anyWorker(stack, random));
  return [];
}

async function lostWorker(stack: Stack, random: () => number): Promise<readonly Excuse[]> {
  const pod = anyWorker(stack, random);
  const fromMs = performance.now();
  await pod.process.end("SIGKILL");
  const toMs = performance.now() + settleMs;
  await stack.loseWorker(pod);
  await stack.addWorker();
  return [{ ways: ["gateway", "proxy"], fromMs, toMs }];
}

async function killedRedis(stack: Stack): Promise<readonly Excuse[]> {
  const siblings = async () => sumOf(await stack.metricsOf("picker-a"), "pointsman_replica_siblings");
  const pickers = Object.values(stack.pickers).reduce((sum, part) => sum + part.pickers, 0);
  await away(stack.replicasRedis, "SIGKILL", []);
  await until(async () => (await siblings()) === pickers - 1, {
    what: "the replicas to hear each other",
    timeoutMs: longMs,
  });
  return [];
}

async function killedValkey(stack: Stack): Promise<readonly Excuse[]> {
  const [excuse] = await away(stack.queueRedis, "SIGKILL", ["queue"]);
  await stack.front.up(longMs);
  const fromMs = excuse?.fromMs ?? 0;
  // The front connects again within a second of its being back.
  return [{ ways: ["queue"], fromMs, toMs: performance.now() + 2 * settleMs }];
}

async function awayApiServer(stack: Stack): Promise<readonly Excuse[]> {
  await stack.kube.stop();
  await delay(1_500);
  // Nobody keeps its port for it meanwhile.
  await until(() => stack.kube.restart().then(() => true), { what: "the API server to be back", timeoutMs: longMs });
  // It is followed again: a worker more is seen, and one less.
  const pod = await stack.addWorker();
  const ready = async () => sumOf(await stack.metricsOf("picker-a"), "pointsman_worker_eligible", { worker: pod.name });
  await until(async () => (await ready()) === 1, { what: "the new pod to be seen", timeoutMs: longMs });
  await stack.retireWorker(pod);
  return [];
}

async function awayCollector(stack: Stack): Promise<readonly Excuse[]> {
  await stack.collector.close();
  await delay(1_500);
  await stack.collector.open();
  const before = stack.collector.messages;
  await until(() => stack.collector.messages > before, { what: "traces to come again", timeoutMs: longMs });
  return [];
}

async function brokenEvents(stack: Stack, random: () => number): Promise<readonly Excuse[]> {
  const { relay } = anyWorker(stack, random);
  await relay.close();
  await delay(1_500);
  await relay.open();
  return [];
}

function anyWorker(stack: Stack, random: () => number): WorkerPod {
  const pods = [...stack.workers.values()];
  const pod = pods[Math.floor(random() * pods.length)];
  if (pod === undefined) throw new Error("there are no workers");
  return pod;
}

function isThere(pid: number): boolean {
  return existsSync(`/proc/${pid}`);
}

async function seen(stack: Stack, pickers: number): Promise<void> {
  const look = async () => (await stack.healthyPickers()) === pickers;
  await until(look, { what: `Envoy to see ${pickers} pickers`, timeoutMs: longMs });
}
