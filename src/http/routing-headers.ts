/** Prefixes of the names by which gateway and picker talk; a client's own must not reach a worker. */
const controlPrefixes = ["x-gateway-", "x-llm-d-"];

/** Control names that are listed even when not seen: the gateway may hide headers from us and still send them on. */
const controlNames = [
  "inference-objective",
  "inference-fairness-id",
  "model-name-rewrite",
  "destination-endpoint-subset",
  "destination-endpoint-served",
].flatMap((name) => controlPrefixes.map((prefix) => prefix + name));

const latencyNames = ["x-llm-d-slo-ttft-ms", "x-llm-d-slo-tpot-ms", "x-slo-ttft-ms", "x-slo-tpot-ms"];

/** Headers by which a client could choose a worker, a rank or a cache source; frontends and sidecars read both spellings. */
const workerChoosingNames = [
  "worker-instance-id",
  "prefill-instance-id",
  "decode-instance-id",
  "dp-rank",
  "prefill-dp-rank",
  "data-parallel-rank",
  "routing-mode",
  "prefiller-host-port",
  "encoder-hosts-ports",
  "data-parallel-host-port",
  "kv-cache-source-host-port",
].flatMap((name) => [`x-${name}`, `x-dynamo-${name}`]);

/** Names by which a client could take part in the choice, or act for the gateway. */
export const routingHeaderNames: readonly string[] = [
  ...controlNames,
  ...latencyNames,
  ...workerChoosingNames,
  // SMG's.
  "x-smg-target-worker",
  "x-llm-d-request-dropped-reason",
];
const known: ReadonlySet<string> = new Set(routingHeaderNames);

/**
 * Whether a client could choose a worker by this header, or act for the gateway. Servers behind a CGI-like interface read `_` as
 * `-`, so that either spelling counts.
 */
export function isRoutingHeader(lowerName: string): boolean {
  if (lowerName.charCodeAt(0) !== LETTER_X) return false;
  const dashed = lowerName.includes("_") ? lowerName.replaceAll("_", "-") : lowerName;
  return known.has(dashed) || controlPrefixes.some((prefix) => dashed.startsWith(prefix));
}

const LETTER_X = 0x78;
