import { isUtf8 } from "node:buffer";
import { RoutingError } from "../../errors/index.ts";
import { editRoot, JsonReader, parseJson, type RootMember, rootMemberList } from "../../json/index.ts";

/** What is read of a request's body. */
export interface ReadBody {
  /** Undefined = it names none. */
  readonly model: string | undefined;
  /** Whether a stream is asked for. */
  readonly isStream: boolean;
  /** Whether its end shall tell of token counts (`stream_options.include_usage`). */
  readonly includesUsage: boolean;
  /** The body without what asks for a stream; the same bytes where nothing does. */
  withoutStream(): Buffer;
}

const names: ReadonlySet<string> = new Set(["model", "stream", "stream_options"]);
/** Longer bodies are searched in steps between other work. */
const bytesAtOnce = 524_288;
/** Numbers that may be beyond a double's range: the processor refuses those, and its refusal destroys the request. */
const maybeHuge = /\d[eE]\+?\d{3}|\d{300}/;

/** Reads bodies, and refuses what a processor could not read: it would destroy the request without a word. */
export class BodyReader {
  readonly #reader: JsonReader;

  /** @param maxBytes longest body */
  constructor(maxBytes: number) {
    this.#reader = new JsonReader({
      internedBytes: 0,
      maxScannedBytes: Math.min(33_554_432, Math.max(1_024, maxBytes)),
    });
  }

  /** Rejects with JsonSyntaxError or RoutingError `invalid_request` when the body is no JSON object. */
  async read(body: Buffer): Promise<ReadBody> {
    this.#check(body);
    const members = await found(body);
    const memberText = (name: string) => textOf(body, members, name);
    const model = memberText("model");
    return {
      model: model === undefined ? undefined : stringIn(model),
      isStream: memberText("stream") === "true",
      includesUsage: /"include_usage"\s*:\s*true/.test(memberText("stream_options") ?? ""),
      withoutStream: () => withoutStream(body, members),
    };
  }

  #check(body: Buffer): void {
    const isKnown = this.#reader.weigh(body, Number.POSITIVE_INFINITY) !== undefined && isUtf8(body);
    if (!isKnown || maybeHuge.test(body.toString("latin1"))) {
      parseJson(body, { reader: this.#reader, finiteNumbers: true });
    }
    const first = body.find((byte) => byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09);
    if (first !== 0x7b) throw new RoutingError("the body is no JSON object", { code: "invalid_request" });
  }
}

async function found(body: Buffer): Promise<readonly RootMember[]> {
  const steps = rootMemberList(body, names);
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) {
    if (body.length > bytesAtOnce) await new Promise((resolve) => setImmediate(resolve));
  }
  return step.value;
}

/** JSON of a member's value; of a repeated key the last counts. */
function textOf(body: Buffer, members: readonly RootMember[], name: string): string | undefined {
  const member = members.findLast((each) => each.name === name);
  return member === undefined ? undefined : body.toString("utf8", member.value.start, member.value.end);
}

function stringIn(json: string): string | undefined {
  const value: unknown = JSON.parse(json);
  return typeof value === "string" ? value : undefined;
}

function withoutStream(body: Buffer, members: readonly RootMember[]): Buffer {
  const asking = members.filter(({ name }) => name !== "model");
  if (asking.length === 0) return body;
  const changes = new Map([
    ["stream", undefined],
    ["stream_options", undefined],
  ]);
  return editRoot(body, members, changes);
}
