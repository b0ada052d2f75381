import fc, { type Arbitrary } from "fast-check";

/** What a gateway does on a stream, one after the other. */
export type Step =
  | {
      readonly does: "headers";
      readonly end: boolean;
      readonly length?: number;
      readonly subset?: SubsetHint | undefined;
    }
  | { readonly does: "body"; readonly bytes: number; readonly end: boolean }
  | { readonly does: "trailers" }
  | {
      readonly does: "responseHeaders";
      readonly end: boolean;
      readonly type: ResponseType;
      readonly encoding?: string | undefined;
    }
  | { readonly does: "responseBody"; readonly bytes: number; readonly end: boolean }
  | { readonly does: "responseTrailers" }
  /** A message of none of the known kinds. */
  | { readonly does: "empty" }
  | { readonly does: "observe" }
  /** Time for everything so far to be read and answered. */
  | { readonly does: "wait" }
  /** Bytes that are no message of the protocol, in a frame of gRPC. */
  | { readonly does: "garbage"; readonly bytes: readonly number[] }
  | { readonly does: "compressed" }
  | { readonly does: "tooLong" }
  /** The beginning of a frame; what comes next is taken for the rest of it. */
  | { readonly does: "half" };

type ResponseType = "json" | "events" | "none";

/** How the gateway restricts the choice: by a list of endpoints, by their names in one text, or to none. */
export type SubsetHint = "list" | "text" | "none";

export const allowedEndpoints: readonly string[] = ["10.0.0.1:8000", "10.0.0.2:8000"];

export const maxBodyBytes = 65_536;
export const maxMessageBytes = 262_144;

/** Envoy's numbers of body modes, one that no version has, and a gateway that does not tell. */
export type Mode = 0 | 1 | 2 | 3 | 4 | 7 | undefined;

export interface StreamCase {
  /** Both are told or none is. */
  readonly requestMode: Mode;
  readonly responseMode: Mode;
  readonly pick: PickPlan;
  readonly steps: readonly Step[];
  /** Whether the steps are an order that Envoy sends. */
  readonly isLegal: boolean;
  readonly end: "halfClose" | "cancel" | "reset";
}

/** What the core makes of the request. */
export interface PickPlan {
  readonly when: "atOnce" | "later" | "never";
  readonly what: "pick" | "edit" | "rewrite" | "refuse" | "fault";
}

const mode: Arbitrary<Mode> = fc.constantFrom(4, 2, 1, 0, 3, 7, undefined);
const size = fc.oneof(
  fc.nat({ max: 40 }),
  fc.nat({ max: 40 }),
  fc.constantFrom(0, 4_095, 4_096, 8_191, 61_999, 62_000, 62_001, maxBodyBytes),
  fc.constant(maxBodyBytes + 1),
);
const pick: Arbitrary<PickPlan> = fc.record({
  when: fc.constantFrom("atOnce", "atOnce", "later", "later", "never"),
  what: fc.constantFrom("pick", "edit", "rewrite", "refuse", "fault"),
});
const type = fc.constantFrom("json" as const, "events" as const, "none" as const);

const anyStep: Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ does: fc.constant("headers" as const), end: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constant("body" as const), bytes: size, end: fc.boolean() }) },
  { weight: 2, arbitrary: fc.constant<Step>({ does: "trailers" }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant("responseHeaders" as const), end: fc.boolean(), type }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant("responseBody" as const), bytes: size, end: fc.boolean() }) },
  { weight: 2, arbitrary: fc.constant<Step>({ does: "responseTrailers" }) },
  { weight: 3, arbitrary: fc.constant<Step>({ does: "wait" }) },
  { weight: 1, arbitrary: fc.constantFrom<Step>({ does: "empty" }, { does: "observe" }) },
  { weight: 1, arbitrary: fc.constantFrom<Step>({ does: "compressed" }, { does: "tooLong" }, { does: "half" }) },
  {
    weight: 1,
    arbitrary: fc.record({
      does: fc.constant("garbage" as const),
      bytes: fc.array(fc.nat({ max: 255 }), { maxLength: 12 }),
    }),
  },
);

type Mutation =
  | { readonly edit: "drop" | "repeat" | "swap"; readonly at: number }
  | { readonly edit: "insert"; readonly at: number; readonly step: Step };

const mutation: Arbitrary<Mutation> = fc.oneof(
  fc.record({ edit: fc.constantFrom("drop" as const, "repeat" as const, "swap" as const), at: fc.nat({ max: 30 }) }),
  fc.record({ edit: fc.constant("insert" as const), at: fc.nat({ max: 30 }), step: anyStep }),
);

function mutated(steps: readonly Step[], mutations: readonly Mutation[]): readonly Step[] {
  const changed = [...steps];
  for (const each of mutations) {
    const at = each.at % (changed.length + 1);
    const step = changed[at];
    if (each.edit === "insert") changed.splice(at, 0, each.step);
    else if (step === undefined) continue;
    else if (each.edit === "drop") changed.splice(at, 1);
    else if (each.edit === "repeat") changed.splice(at, 0, step);
    else changed.splice(at, 2, ...changed.slice(at, at + 2).reverse());
  }
  return changed;
}

/** One direction of an exchange: what a client or a worker sends. */
const message = fc.record({
  pieces: fc.array(size, { maxLength: 4 }),
  hasTrailers: fc.boolean(),
  tellsLength: fc.boolean(),
  subset: fc.option(fc.constantFrom<SubsetHint[]>("list", "text", "none"), { nil: undefined, freq: 2 }),
  encoding: fc.constantFrom(undefined, "gzip"),
});
type Message = typeof message extends Arbitrary<infer T> ? T : never;

/** Body messages as a mode has them; the last one carries the end unless trailers do. */
function bodySteps(mode: Mode, { pieces, hasTrailers }: Message): readonly { bytes: number; end: boolean }[] {
  if (mode === 0 || pieces.length === 0) return [];
  const total = pieces.reduce((sum, piece) => sum + piece, 0);
  const sizes = mode === 2 || mode === 3 ? [total] : pieces;
  return sizes.map((bytes, i) => ({ bytes, end: i === sizes.length - 1 && !hasTrailers }));
}

function requestSteps(mode: Mode, request: Message): readonly Step[] {
  const end = request.pieces.length === 0 && !request.hasTrailers;
  const total = request.pieces.reduce((sum, piece) => sum + piece, 0);
  const body = bodySteps(mode, request).map((piece): Step => ({ does: "body", ...piece }));
  const trailers: readonly Step[] = request.hasTrailers && mode !== 0 ? [{ does: "trailers" }] : [];
  const { subset } = request;
  return [{ does: "headers", end, subset, ...(request.tellsLength ? { length: total } : {}) }, ...body, ...trailers];
}

function responseSteps(mode: Mode, response: Message, type: ResponseType): readonly Step[] {
  const end = response.pieces.length === 0 && !response.hasTrailers;
  const body = bodySteps(mode, response).map((piece): Step => ({ does: "responseBody", ...piece }));
  const trailers: readonly Step[] = response.hasTrailers && mode !== 0 ? [{ does: "responseTrailers" }] : [];
  return [{ does: "responseHeaders", end, type, encoding: response.encoding }, ...body, ...trailers];
}

const streamCase: Arbitrary<StreamCase> = fc
  .record({
    requestMode: mode,
    responseMode: mode,
    pick,
    end: fc.constantFrom("halfClose" as const, "halfClose" as const, "cancel" as const, "reset" as const),
    request: message,
    response: message,
    type,
    mutations: fc.oneof(fc.constant([]), fc.array(mutation, { minLength: 1, maxLength: 6 })),
    soup: fc.option(fc.array(anyStep, { maxLength: 10 }), { freq: 5 }),
  })
  .map(({ request, response, type, mutations, soup, ...others }) => {
    const isTold = others.requestMode !== undefined && others.responseMode !== undefined;
    const rest = isTold ? others : { ...others, requestMode: undefined, responseMode: undefined };
    const legal = [...requestSteps(rest.requestMode, request), ...responseSteps(rest.responseMode, response, type)];
    const steps = soup ?? mutated(legal, mutations);
    return { ...rest, steps, isLegal: soup === null && mutations.length === 0 };
  });

/** Some streams at the same time, and whose turn it is. */
export interface OrderCase {
  readonly streams: readonly StreamCase[];
  readonly turns: readonly number[];
}

export const orderCase: Arbitrary<OrderCase> = fc.record({
  streams: fc.array(streamCase, { minLength: 1, maxLength: 3 }),
  turns: fc.array(fc.nat({ max: 2 }), { maxLength: 30 }),
});
