import type { HeaderList } from "./header-list.ts";

/** The picked endpoint, for the gateway. Source: endpoint-picker protocol of the Gateway API inference extension. */
export const DESTINATION_HEADER = "x-gateway-destination-endpoint";

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

const alwaysRemoved: readonly string[] = [
  ...controlNames,
  ...latencyNames,
  ...workerChoosingNames,
  // SMG's.
  "x-smg-target-worker",
  "x-llm-d-request-dropped-reason",
];
const alwaysRemovedSet = new Set(alwaysRemoved);

/** Lists that are kept: one for each set of headers that answers have, and those depend on profiles and roles alone. */
const MAX_KEPT_LISTS = 64;

/** The names of request headers to remove from each answer. */
export class HeaderRemovals {
  /** The fixed list without the names that are set, by those names. The same list each time is encoded once. */
  readonly #fixedBySet = new Map<string, readonly string[]>();

  /**
   * The fixed list, and what else the client sent under a control prefix. A name that is set is left out: setting replaces the
   * client's value.
   * @param headers the request's headers
   * @param setNames the headers that the answer sets, lower-case
   */
  namesFor(headers: Pick<HeaderList, "namesFrom">, setNames: readonly string[]): readonly string[] {
    const fixed = this.#fixed(setNames);
    const extra = headers.namesFrom("x").filter((name) => isUnlistedControl(name) && !setNames.includes(name));
    return extra.length === 0 ? fixed : [...fixed, ...new Set(extra)];
  }

  #fixed(setNames: readonly string[]): readonly string[] {
    const key = setNames.join();
    const known = this.#fixedBySet.get(key);
    if (known !== undefined) return known;
    const fixed = alwaysRemoved.filter((name) => !setNames.includes(name));
    if (this.#fixedBySet.size < MAX_KEPT_LISTS) this.#fixedBySet.set(key, fixed);
    return fixed;
  }
}

/** Servers behind a CGI-like interface read `_` as `-`, so that either spelling reaches them. */
function isUnlistedControl(name: string): boolean {
  if (alwaysRemovedSet.has(name)) return false;
  const dashed = name.replaceAll("_", "-");
  return alwaysRemovedSet.has(dashed) || controlPrefixes.some((prefix) => dashed.startsWith(prefix));
}
