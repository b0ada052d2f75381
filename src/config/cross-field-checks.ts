import type { z } from "zod";
import { shiftKvAddress } from "./address.ts";
import { checkAdmin } from "./admin-checks.ts";
import { type Entry, reportDuplicates } from "./duplicates.ts";
import { checkKubernetes, isInKubernetes } from "./kubernetes-checks.ts";
import { checkListenAddresses } from "./listen-address-checks.ts";
import { checkModels, checkRewrites } from "./model-checks.ts";
import { checkQueue } from "./queue-checks.ts";
import type { Path, Report } from "./report.ts";
import type { Config, ModelSettings, WorkerSettings } from "./schema.ts";
import { checkShards } from "./shard-checks.ts";

/** The checks that need more than one setting. They run only when every setting on its own is right. */
export function checkAcrossFields(config: Config, context: z.core.$RefinementCtx<unknown>): void {
  const report: Report = (path, message, input) => {
    context.addIssue({ code: "custom", path: [...path], message, input });
  };
  checkModes(config, report);
  checkListeners(config, report);
  checkListenAddresses(config, report);
  checkProxy(config, report);
  checkQueue(config, report);
  checkAdmin(config, report);
  checkModels(config.models, report);
  checkDecisionsApi(config, report);
  checkRewrites(config, report);
  checkWorkers(config, report);
  checkHandovers(config.workers, report);
  checkKubernetes(config, report);
  checkAdmission(config, report);
  checkReplicas(config, report);
  checkPeers(config, report);
  checkRecorder(config, report);
  checkShards(config, report);
  const { reconnectMinMs, reconnectMaxMs } = config.kvEvents;
  if (reconnectMaxMs < reconnectMinMs) {
    report(
      ["kvEvents", "reconnectMaxMs"],
      `expected at least kvEvents.reconnectMinMs (${reconnectMinMs})`,
      reconnectMaxMs,
    );
  }
}

function checkDecisionsApi({ decisionsApi, models, workers }: Config, report: Report): void {
  const { modelAliases, maxBodyBytes, maxHeldBodyBytes } = decisionsApi;
  const names = models.flatMap(({ name, aliases, adapters }) => [name, ...aliases, ...adapters]);
  for (const [alias, name] of Object.entries(modelAliases)) {
    const path = ["decisionsApi", "modelAliases", alias];
    if (!models.some((model) => model.name === name)) {
      report(path, `expected one of ${listed(models.map((model) => model.name))}`, name);
    }
    if (names.includes(alias)) report(path, "a model has this name already", alias);
  }
  if (maxHeldBodyBytes < maxBodyBytes) {
    const message = `expected at least decisionsApi.maxBodyBytes (${maxBodyBytes})`;
    report(["decisionsApi", "maxHeldBodyBytes"], message, maxHeldBodyBytes);
  }
  for (const [i, { scoring, role }] of workers.entries()) {
    if (scoring === undefined || role === "aggregated") continue;
    report(["workers", i, "scoring"], `has no meaning for the role ${role}`, role);
  }
}

function checkRecorder({ recorder: { file, blockTokens }, models }: Config, report: Report): void {
  if (file === undefined) return;
  for (const { name, blockSize } of models) {
    if (blockTokens % blockSize === 0) continue;
    report(["recorder", "blockTokens"], `expected a multiple of the blockSize of ${name} (${blockSize})`, blockTokens);
  }
}

function checkPeers({ replicas: { peers } }: Config, report: Report): void {
  const urls = peers.urls.map((url, i) => ({ path: ["replicas", "peers", "urls", i], value: new URL(url).href }));
  reportDuplicates(urls, "another peer has this address", report);
  if (peers.caFile !== undefined && !peers.verifyTls) {
    report(["replicas", "peers", "caFile"], "has no meaning with verifyTls false", peers.caFile);
  }
}

function checkReplicas({ replicas: { redis } }: Config, report: Report): void {
  const { url, heartbeatMs, silentAfterMs, timeoutMs, reconnectMinMs, reconnectMaxMs, tls } = redis;
  const path = ["replicas", "redis"];
  for (const [name, value] of Object.entries({ silentAfterMs, timeoutMs })) {
    if (value >= 2 * heartbeatMs) continue;
    report([...path, name], `expected at least twice replicas.redis.heartbeatMs (${heartbeatMs})`, value);
  }
  if (reconnectMaxMs < reconnectMinMs) {
    const message = `expected at least replicas.redis.reconnectMinMs (${reconnectMinMs})`;
    report([...path, "reconnectMaxMs"], message, reconnectMaxMs);
  }
  if (url?.startsWith("rediss:") === true && (tls.certFile === undefined) !== (tls.keyFile === undefined)) {
    const missing = tls.certFile === undefined ? "certFile" : "keyFile";
    report([...path, "tls", missing], "certFile and keyFile are needed together", undefined);
  }
}

function checkAdmission(config: Config, report: Report): void {
  const { admission, workers, fleet } = config;
  const { maxPrefillTokens, maxRequests, maxWaitMs, maxQueued, maxKvUsage, objectives } = admission;
  const names = objectives.map(({ name }, i) => ({ path: ["admission", "objectives", i, "name"], value: name }));
  reportDuplicates(names, "another objective has this name", report);
  if (maxPrefillTokens === 0 && maxRequests === 0 && maxKvUsage === 0) return;
  for (const [section, { pickDeadlineMs, mostAtOnce, bound }] of waitingIn(config)) {
    if (maxWaitMs >= pickDeadlineMs) {
      report(["admission", "maxWaitMs"], `expected less than ${section}.pickDeadlineMs (${pickDeadlineMs})`, maxWaitMs);
    }
    if (maxQueued >= mostAtOnce) {
      // Those who wait are among those in flight: without room for more, nobody new could ask.
      report(["admission", "maxQueued"], `expected less than ${section}.${bound} (${mostAtOnce})`, maxQueued);
    }
  }
  const isUncounted = workers.length > 0 && !fleet.engineMetrics.enabled;
  if (maxKvUsage > 0 && isUncounted && workers.every(({ totalKvBlocks }) => totalKvBlocks === undefined)) {
    report(
      ["admission", "maxKvUsage"],
      "has no meaning without workers[].totalKvBlocks or fleet.engineMetrics",
      maxKvUsage,
    );
  }
}

/** The listeners whose requests may wait for a worker. */
function waitingIn({ mode, mixedModes, extProc, proxy }: Config) {
  const modes = [mode, ...mixedModes];
  const { pickDeadlineMs, maxInFlightRequests: mostAtOnce } = extProc;
  const byEnvoy = ["extProc", { pickDeadlineMs, mostAtOnce, bound: "maxInFlightRequests" }] as const;
  const byProxy = ["proxy", { ...proxy, mostAtOnce: proxy.maxRequests, bound: "maxRequests" }] as const;
  return [
    ...(modes.every((each) => each === "proxy" || each === "queue") ? [] : [byEnvoy]),
    ...(modes.includes("proxy") ? [byProxy] : []),
  ];
}

function checkProxy({ mode, mixedModes, proxy, workers, models }: Config, report: Report): void {
  const { maxBodyBytes, maxHeldBodyBytes } = proxy;
  if (maxHeldBodyBytes < maxBodyBytes) {
    report(["proxy", "maxHeldBodyBytes"], `expected at least proxy.maxBodyBytes (${maxBodyBytes})`, maxHeldBodyBytes);
  }
  // Behind a Dynamo frontend, or a sidecar, requests are split by those.
  if (![mode, ...mixedModes].includes("proxy") || models.every(({ profile }) => profile === "dynamo")) return;
  for (const [i, { role, headers, handover }] of workers.entries()) {
    if (role !== "prefill" && role !== "decode") continue;
    if (headers.prefillHost || handover !== undefined) continue;
    // With a sidecar on the decode workers, the prefill workers are never asked by the proxy.
    if (role === "prefill" && workers.some((other) => other.headers.prefillHost)) continue;
    report(["workers", i, "handover"], `needed for the role ${role}: how the proxy splits requests`, undefined);
  }
}

/** The two workers of a pair have to speak the same way of a handover. */
function checkHandovers(workers: readonly WorkerSettings[], report: Report): void {
  for (const [i, { role, models, handover }] of workers.entries()) {
    if (handover === undefined) continue;
    const path = ["workers", i, "handover"];
    if (role === "encode") report(path, "has no meaning for the role encode", handover.protocol);
    if (handover.protocol === "mooncake" && role === "prefill" && handover.engineId === undefined) {
      report([...path, "engineId"], "needed with the protocol mooncake", undefined);
    }
    const other = workers.slice(0, i).find((each) => {
      const isOther = each.handover !== undefined && each.handover.protocol !== handover.protocol;
      return isOther && each.role !== role && mayShareModel(each.models, models);
    });
    if (other === undefined) continue;
    const message = `expected ${other.handover?.protocol}, as of ${other.name}: they may be a pair`;
    report([...path, "protocol"], message, handover.protocol);
  }
}

function mayShareModel(some: readonly string[], others: readonly string[]): boolean {
  return some.length === 0 || others.length === 0 || some.some((name) => others.includes(name));
}

function checkModes(config: Config, report: Report): void {
  const { mode, mixedModes, routeApi, models, workers } = config;
  const modes = [mode, ...mixedModes];
  modes.forEach((each, i) => {
    const path = i === 0 ? ["mode"] : ["mixedModes", i - 1];
    if (modes.indexOf(each) < i) report(path, "this mode is there already", each);
  });
  const hasRouteApi = modes.includes("query") || modes.includes("reserve");
  if (hasRouteApi && routeApi.listen === "off" && routeApi.socket === undefined) {
    report(["routeApi", "socket"], "needed with routeApi.listen off", routeApi.socket);
  }
  if (hasRouteApi && (workers.length > 0 || isInKubernetes(config)) && models.length === 0) {
    // Without a model no worker of the settings could ever be picked by the route API: it would never be ready.
    report(["models"], "needed with workers in the modes query and reserve: what they serve is named there", models);
  }
  const { maxBodyBytes, maxHeldBodyBytes } = routeApi;
  if (maxHeldBodyBytes < maxBodyBytes) {
    const path = ["routeApi", "maxHeldBodyBytes"];
    report(path, `expected at least routeApi.maxBodyBytes (${maxBodyBytes})`, maxHeldBodyBytes);
  }
}

function checkListeners({ extProc, routeApi, proxy, queue, admin }: Config, report: Report): void {
  for (const [section, { mode, certFile, keyFile, clientCaFile }] of [
    ["extProc", extProc.tls] as const,
    ["routeApi", routeApi.tls] as const,
    ["proxy", proxy.tls] as const,
    ["queue", queue.tls] as const,
    ["admin", admin.tls] as const,
  ]) {
    if (mode === "off" && clientCaFile !== undefined) {
      const reason = `not with ${section}.tls.mode off, where nobody is asked for a certificate`;
      report([section, "tls", "clientCaFile"], reason, clientCaFile);
    }
    if (mode !== "files") continue;
    const needed = `needed with ${section}.tls.mode files`;
    if (certFile === undefined) report([section, "tls", "certFile"], needed, certFile);
    if (keyFile === undefined) report([section, "tls", "keyFile"], needed, keyFile);
  }
  const { maxBodyBytes, maxInFlightBodyBytes } = extProc;
  if (maxInFlightBodyBytes < maxBodyBytes) {
    const path = ["extProc", "maxInFlightBodyBytes"];
    report(path, `expected at least extProc.maxBodyBytes (${maxBodyBytes})`, maxInFlightBodyBytes);
  }
  if (extProc.bodyMode !== "full-duplex" && extProc.maxReceiveMessageBytes <= maxBodyBytes) {
    // Buffered mode: a body over the message limit ends the stream, and the client sees 500 in place of 413.
    const path = ["extProc", "maxReceiveMessageBytes"];
    report(path, `expected more than extProc.maxBodyBytes (${maxBodyBytes})`, extProc.maxReceiveMessageBytes);
  }
}

function checkWorkers({ workers, models }: Config, report: Report): void {
  const entries = (key: "name" | "id" | "endpoint"): readonly Entry[] =>
    workers.flatMap((worker, i): Entry[] => {
      const value = worker[key];
      return value === undefined
        ? []
        : [{ path: ["workers", i, key], value: key === "id" ? value : value.toLowerCase() }];
    });
  reportDuplicates(entries("name"), "another worker has this name", report);
  reportDuplicates(entries("id"), "another worker has this id", report);
  reportDuplicates(entries("endpoint"), "another worker has this endpoint", report);
  reportDuplicates(eventSockets(workers), "another rank or worker has this address", report);
  const known = models.map(({ name }) => name);
  for (const [i, worker] of workers.entries()) {
    for (const [j, model] of worker.models.entries()) {
      if (!known.includes(model)) report(["workers", i, "models", j], `expected one of ${listed(known)}`, model);
    }
    checkAdapters(models, worker, i, report);
    checkEventModels({ models }, worker, i, report);
    for (const key of ["kvEvents", "kvReplay"] as const) checkLastPort(worker, key, ["workers", i, key], report);
  }
}

function checkAdapters(models: readonly ModelSettings[], worker: WorkerSettings, i: number, report: Report): void {
  const known = models.flatMap(({ adapters }) => adapters);
  for (const [j, adapter] of (worker.adapters ?? []).entries()) {
    if (known.includes(adapter)) continue;
    report(["workers", i, "adapters", j], "expected an adapter of a model, as models[].adapters has it", adapter);
  }
}

/** KV events do not say which model their blocks belong to: they count for each one that the worker serves. */
function checkEventModels({ models }: Pick<Config, "models">, worker: WorkerSettings, i: number, report: Report): void {
  if (worker.kvEvents === undefined) return;
  const served = models.filter(({ name }) => worker.models.length === 0 || worker.models.includes(name));
  const sizes = new Set(served.map(({ blockSize }) => blockSize));
  if (sizes.size > 1)
    report(["workers", i, "models"], "expected models of one blockSize, with kvEvents", worker.models);
}

function checkLastPort(worker: WorkerSettings, key: "kvEvents" | "kvReplay", path: Path, report: Report): void {
  const base = worker[key];
  if (base === undefined) return;
  const last = shiftKvAddress(base, worker.dpRankStart + worker.dpSize - 1);
  if (Number(last.slice(last.lastIndexOf(":") + 1)) > 65_535)
    report(path, "the last rank's port would pass 65535", base);
  if (key === "kvReplay" && worker.kvEvents === undefined) report(path, "has no meaning without kvEvents", base);
}

/** Where each rank publishes, so that two workers whose ranges of ports meet are found. */
function eventSockets(workers: readonly WorkerSettings[]): readonly Entry[] {
  return workers.flatMap(({ kvEvents, dpRankStart, dpSize }, i) => {
    if (kvEvents === undefined) return [];
    // A size that is out of its own bounds is reported already, and not expanded.
    return Array.from({ length: Math.min(dpSize, 4096) }, (_, rank) => ({
      path: ["workers", i, "kvEvents"],
      value: shiftKvAddress(kvEvents, dpRankStart + rank),
    }));
  });
}

function listed(names: readonly string[]): string {
  return names.length === 0 ? "models, which is empty" : names.join(", ");
}
