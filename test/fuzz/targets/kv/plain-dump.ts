import { digitsOf, elementsOf, membersOf, type Seen } from "../../framework/python-json.ts";

/** What a dump says, in values that can be compared. */
export interface PlainDump {
  readonly events: readonly PlainDumpEvent[];
  readonly skipped: number;
  readonly points: readonly Readonly<Record<string, unknown>>[];
}

export type PlainDumpEvent = Readonly<Record<string, unknown>>;

/** A dump from a whole value, by the types of dynamo@1.6.1 (`RouterEvent`) and docs/route-api.md. Undefined = it is none. */
export function plainDump(value: Seen): PlainDump | undefined {
  const groups = membersOf(value);
  if (groups === undefined) return undefined;
  const [events, points]: [PlainDumpEvent[], Readonly<Record<string, unknown>>[]] = [[], []];
  let skipped = 0;
  for (const [group, parts] of groups) {
    let blockSize: number | undefined;
    for (const [name, part] of membersOf(parts) ?? []) {
      if (name === "block_size" && digitsOf(part) !== undefined) blockSize = numberOf(integerOf(part));
      for (const each of name === "events" ? (elementsOf(part) ?? []) : []) {
        if (membersOf(each) === undefined) continue;
        const event = eventOf(each);
        if (event === undefined) skipped++;
        else events.push({ group, blockSize, ...event });
      }
      for (const each of name === "streams" ? (elementsOf(part) ?? []) : []) {
        const point = pointOf(each);
        if (point !== undefined) points.push({ group, ...point });
      }
    }
  }
  return { events, skipped, points };
}

function eventOf(value: Seen): PlainDumpEvent | undefined {
  const [outer, inner] = [lastOf(value), lastOf(lastOf(value).get("event"))];
  const workerId = integerOf(outer.get("worker_id"));
  const rank = rankOf(inner.get("dp_rank") ?? outer.get("dp_rank"));
  const tier = outer.get("storage_tier") ?? "device";
  const isKnown = typeof tier === "string" && ["device", "host_pinned", "disk", "external"].includes(tier);
  if ((outer.get("residency_domain") ?? "worker") !== "worker") return undefined;
  const change = changeOf(inner.get("data"), tier as string);
  if (workerId === undefined || rank === undefined || !isKnown || change === undefined) return undefined;
  return { workerId, dpRank: rank, ...change };
}

function changeOf(data: Seen | undefined, tier: string): PlainDumpEvent | undefined {
  if (data === "cleared") return { kind: "clear" };
  const changes = lastOf(data);
  const [stored, removed] = [changes.get("stored"), changes.get("removed")];
  if (stored !== undefined && removed !== undefined) return undefined;
  if (removed !== undefined) {
    const hashes = elementsOf(lastOf(removed).get("block_hashes"))?.map(integerOf);
    return hashes === undefined || hashes.includes(undefined) ? undefined : { kind: "remove", tier, hashes };
  }
  return stored === undefined ? undefined : storeOf(lastOf(stored), tier);
}

function storeOf(stored: ReadonlyMap<string, Seen>, tier: string): PlainDumpEvent | undefined {
  const parent = stored.get("parent_hash") ?? null;
  const salt = stored.get("cache_salt") ?? null;
  const blocks = elementsOf(stored.get("blocks"))?.map((block) => {
    const members = membersOf(block) ?? [];
    const of = (wanted: string) => members.filter(([name]) => name === wanted).map(([, each]) => each);
    const [hashes, locals] = [of("block_hash"), of("tokens_hash")];
    return hashes.length === 1 && locals.length === 1 ? [integerOf(hashes[0]), integerOf(locals[0])] : [undefined];
  });
  if (blocks === undefined || blocks.some((block) => block.includes(undefined))) return undefined;
  if (parent !== null && integerOf(parent) === undefined) return undefined;
  if (salt !== null && typeof salt !== "string") return undefined;
  const parentHash = parent === null ? undefined : integerOf(parent);
  return { kind: "store", tier, parentHash, cacheSalt: salt ?? undefined, blocks };
}

function pointOf(value: Seen): Readonly<Record<string, unknown>> | undefined {
  const of = lastOf(value);
  const [workerId, sequence, content] = ["worker_id", "sequence", "content"].map((name) => integerOf(of.get(name)));
  const dpRank = rankOf(of.get("dp_rank"));
  if (workerId === undefined || sequence === undefined || content === undefined || dpRank === undefined)
    return undefined;
  if (sequence > BigInt(Number.MAX_SAFE_INTEGER)) return undefined;
  return { workerId, dpRank, sequence: Number(sequence), content, isComplete: of.get("complete") === true };
}

function rankOf(value: Seen | undefined): number | undefined {
  return value === undefined || value === null ? 0 : numberOf(integerOf(value));
}

/** Members by name, of repeated ones the last. */
function lastOf(value: Seen | undefined): ReadonlyMap<string, Seen> {
  return new Map(membersOf(value) ?? []);
}

/** Of 64 bits, signed or not, as unsigned. */
function integerOf(value: Seen | undefined): bigint | undefined {
  const digits = digitsOf(value);
  if (digits === undefined || !/^-?\d+$/.test(digits)) return undefined;
  const integer = BigInt(digits);
  return integer >= -(1n << 63n) && integer < 1n << 64n ? BigInt.asUintN(64, integer) : undefined;
}

function numberOf(value: bigint | undefined): number | undefined {
  return value === undefined ? undefined : Number(value);
}
