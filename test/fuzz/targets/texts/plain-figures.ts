/** Figures of one rank: those that the page gives. */
export type PlainFigures = Readonly<Record<string, number>>;

const label = String.raw`[a-z_]+="[^"\\\n{},]*"`;
const wholeLine = new RegExp(String.raw`^([a-z:_]+)\{((?:${label}(?:,${label})*)?)\} ([0-9.e+-]+)$`);

/** As vLLM and SGLang call them. */
const names: Readonly<Record<string, string>> = {
  "vllm:num_requests_running": "runningRequests",
  "vllm:kv_cache_usage_perc": "kvUsage",
  "sglang:num_running_reqs": "runningRequests",
};

const counts = [
  ["num_gpu_blocks", "totalKvBlocks"],
  ["block_size", "blockTokens"],
] as const;

/** A second reading of an engine's metrics page; undefined where a line is not as engines write them. */
export function plainFigures(text: string): ReadonlyMap<number, PlainFigures> | undefined {
  const ranks = new Map<number, Record<string, number>>();
  for (const line of text.split("\n").filter((each) => each !== "")) {
    const [, name = "", labels = "", value = ""] = wholeLine.exec(line) ?? [];
    const given = [...labels.matchAll(/([a-z_]+)="([^"]*)"/g)].map(([, key = "", text = ""]) => [key, text] as const);
    const of = new Map(given);
    const rank = of.get("engine") ?? of.get("dp_rank") ?? "0";
    const isUsual = of.size === given.length && /^\d{1,3}$/.test(rank);
    if (!isUsual || !(Number(value) >= 0) || Number(value) === Number.POSITIVE_INFINITY) return undefined;
    // The other parts of an engine say what its first does.
    if (["tp_rank", "pp_rank"].some((part) => (of.get(part) ?? "0") !== "0")) continue;
    const figures = ranks.get(Number(rank)) ?? {};
    const figure = names[name];
    if (figure === "runningRequests") figures[figure] = (figures[figure] ?? 0) + Number(value);
    else if (figure === "kvUsage") figures[figure] = Math.max(figures[figure] ?? 0, Math.min(1, Number(value)));
    else if (name === "vllm:cache_config_info") {
      for (const [key, counted] of counts)
        if (/^[1-9]\d*$/.test(of.get(key) ?? "")) figures[counted] = Number(of.get(key));
    } else return undefined;
    ranks.set(Number(rank), figures);
  }
  return ranks;
}
