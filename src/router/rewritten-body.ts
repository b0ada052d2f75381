import { Buffer } from "node:buffer";
import { editRoot, type RootMember, rootMemberList } from "../json/index.ts";
import type { ModelRewrites } from "./model-rewrites.ts";
import type { RequestHeaders } from "./route-request.ts";

/** A body whose model is another one than the client's. */
export interface RewrittenBody {
  /** The body as it goes on: no byte but those of the model's name differ. A copy. */
  readonly body: Buffer;
  /** The model's name in the client's body; undefined = it had none. */
  readonly requested: string | undefined;
  readonly target: string;
}

/** Larger bodies are looked through between other work. */
const maxAtOnceBytes = 262_144;

const names: ReadonlySet<string> = new Set(["model"]);

/** Longest name that is looked at, in bytes. */
const maxNameBytes = 4_096;

/**
 * Gives a body the model that the rules want, or, where none is about it, the one of the gateway's header `x-llm-d-model-name-rewrite` (or the older
 * `x-gateway-model-name-rewrite`). At once for bodies that are not large.
 * @returns undefined when it keeps its own; so does what is no JSON object, which is for others to refuse
 */
export function rewriteModel(
  body: Buffer,
  headers: RequestHeaders,
  rewrites: ModelRewrites,
): RewrittenBody | undefined | Promise<RewrittenBody | undefined> {
  const wanted = headerOf(headers);
  if (body.length === 0 || (wanted === undefined && !rewrites.areAny)) return undefined;
  const steps = rootMemberList(body, names);
  const finish = (members: readonly RootMember[]) => rewritten(body, members, rewrites, wanted);
  return body.length > maxAtOnceBytes ? betweenOthers(steps).then(finish) : finish(atOnce(steps));
}

function headerOf(headers: RequestHeaders): string | undefined {
  for (const name of ["x-llm-d-model-name-rewrite", "x-gateway-model-name-rewrite"]) {
    const value = headers.get(name)?.trim();
    if (value !== undefined && value !== "") return value;
  }
  return undefined;
}

function atOnce<T>(steps: Generator<void, T>): T {
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}

async function betweenOthers<T>(steps: Generator<void, T>): Promise<T> {
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) await new Promise((resolve) => setImmediate(resolve));
  return step.value;
}

function rewritten(
  body: Buffer,
  members: readonly RootMember[],
  rewrites: ModelRewrites,
  wanted: string | undefined,
): RewrittenBody | undefined {
  const last = members.at(-1);
  const requested = last === undefined ? undefined : nameIn(body, last);
  // A model that is no text is for others to refuse.
  if (last !== undefined && requested === undefined) return undefined;
  const target = rewrites.targetOf(requested) ?? wanted;
  if (target === undefined || target === requested) return undefined;
  try {
    const changed = editRoot(body, members, new Map([["model", Buffer.from(JSON.stringify(target))]]));
    return { body: changed, requested, target };
  } catch {
    return undefined;
  }
}

function nameIn(body: Buffer, { value: { start, end } }: RootMember): string | undefined {
  if (end - start > maxNameBytes) return undefined;
  try {
    const value: unknown = JSON.parse(body.toString("utf8", start, end));
    return typeof value === "string" ? value : undefined;
  } catch {
    return undefined;
  }
}
