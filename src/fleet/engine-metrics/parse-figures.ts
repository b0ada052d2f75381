/** What an engine says of itself; undefined = it does not say. */
export interface EngineFigures {
  readonly runningRequests: number | undefined;
  readonly waitingRequests: number | undefined;
  /** Share of its KV blocks that running requests hold, in [0,1]. */
  readonly kvUsage: number | undefined;
  /** KV blocks (SGLang: pages) on the device. */
  readonly totalKvBlocks: number | undefined;
  /** Tokens in one of them. */
  readonly blockTokens: number | undefined;
}

type Figure = keyof EngineFigures;

/**
 * Series by name. Source: vLLM's and SGLang's metrics modules; vLLM called `kv_cache_usage_perc` `gpu_cache_usage_perc` at first, and
 * SGLang gives pages as gauges since 0.5.11, before as labels of `cache_config_info`.
 */
const figureByName = new Map<string, Figure>([
  ["vllm:num_requests_running", "runningRequests"],
  ["vllm:num_requests_waiting", "waitingRequests"],
  ["vllm:kv_cache_usage_perc", "kvUsage"],
  ["vllm:gpu_cache_usage_perc", "kvUsage"],
  ["sglang:num_running_reqs", "runningRequests"],
  ["sglang:num_queue_reqs", "waitingRequests"],
  ["sglang:token_usage", "kvUsage"],
  ["sglang:num_pages", "totalKvBlocks"],
  ["sglang:page_size", "blockTokens"],
]);

/** Series whose labels hold the number of blocks and the tokens in one. */
const cacheConfigLabels = new Map([
  ["vllm:cache_config_info", ["num_gpu_blocks", "block_size"]],
  ["sglang:cache_config_info", ["num_pages", "page_size"]],
]);

/** Figures in the making: counts of several models add up, shares do not. */
type Draft = { -readonly [Name in Figure]: number | undefined };

/**
 * Reads the figures of an engine's metrics page, by dp rank as its labels `engine` (vLLM) or `dp_rank` (SGLang) tell it; 0 without
 * one. Lines that are not understood are passed over. O(length), and makes no string of a line that is of no use.
 * @param text Prometheus text exposition
 */
export function parseEngineFigures(text: string): ReadonlyMap<number, EngineFigures> {
  const byRank = new Map<number, Draft>();
  for (let at = 0; at < text.length; ) {
    const next = text.indexOf("\n", at);
    const end = next < 0 ? text.length : next;
    // All series of use start with "vllm:" or "sglang:".
    const first = text.charCodeAt(at);
    if (first === 0x76 || first === 0x73) readLine(text.slice(at, end), byRank);
    at = end + 1;
  }
  return byRank;
}

function readLine(line: string, byRank: Map<number, Draft>): void {
  const nameEnd = line.search(/[{\s]/);
  if (nameEnd < 0) return;
  const name = line.slice(0, nameEnd);
  const figure = figureByName.get(name);
  const configLabels = cacheConfigLabels.get(name);
  if (figure === undefined && configLabels === undefined) return;
  const labelsEnd = line[nameEnd] === "{" ? line.lastIndexOf("}") : nameEnd - 1;
  if (labelsEnd < nameEnd - 1) return;
  const labels = line.slice(nameEnd, labelsEnd + 1);
  const draft = isOfWholeRank(labels) ? draftOf(byRank, rankOf(labels)) : undefined;
  if (draft === undefined) return;
  if (figure !== undefined)
    take(
      draft,
      figure,
      Number(
        line
          .slice(labelsEnd + 1)
          .trim()
          .split(/\s/, 1)[0],
      ),
    );
  const [blocksLabel = "", tokensLabel = ""] = configLabels ?? [];
  if (configLabels === undefined) return;
  take(draft, "totalKvBlocks", Number(labelOf(labels, blocksLabel) ?? "NaN"));
  take(draft, "blockTokens", Number(labelOf(labels, tokensLabel) ?? "NaN"));
}

/** SGLang may list every tensor or pipeline rank of an engine, which all say the same, and every priority beside the sum. */
function isOfWholeRank(labels: string): boolean {
  const isFirst = (name: string) => (labelOf(labels, name) ?? "0") === "0";
  return isFirst("tp_rank") && isFirst("pp_rank") && (labelOf(labels, "priority") ?? "") === "";
}

function rankOf(labels: string): number {
  return Number(labelOf(labels, "engine") ?? labelOf(labels, "dp_rank") ?? "0");
}

function take(draft: Draft, figure: Figure, value: number): void {
  if (!(value >= 0 && value < Number.POSITIVE_INFINITY)) return;
  const known = draft[figure];
  if (figure === "runningRequests" || figure === "waitingRequests") draft[figure] = (known ?? 0) + value;
  else if (figure === "kvUsage") draft.kvUsage = Math.max(known ?? 0, Math.min(1, value));
  else if (value > 0) draft[figure] = value;
}

/** Most ranks that are read: a page that lists more is none of an engine's. */
const maxRanks = 1_024;

function draftOf(byRank: Map<number, Draft>, rank: number): Draft | undefined {
  if (!Number.isInteger(rank) || rank < 0 || rank >= maxRanks) return undefined;
  const known = byRank.get(rank);
  if (known !== undefined) return known;
  const draft: Draft = {
    runningRequests: undefined,
    waitingRequests: undefined,
    kvUsage: undefined,
    totalKvBlocks: undefined,
    blockTokens: undefined,
  };
  byRank.set(rank, draft);
  return draft;
}

/** Value of a label whose values hold no quotes; undefined = it is not there. */
function labelOf(labels: string, name: string): string | undefined {
  const start = labels.search(new RegExp(`[{,]\\s*${name}="`));
  if (start < 0) return undefined;
  const from = labels.indexOf('"', start) + 1;
  return labels.slice(from, labels.indexOf('"', from));
}
