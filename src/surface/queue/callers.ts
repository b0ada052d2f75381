import { type ApiKey, HttpError } from "../../http/index.ts";

/** What a key says of who has it. */
export interface QueueApiKey extends ApiKey {
  readonly tenant?: string | undefined;
  readonly team?: string | undefined;
  readonly tier?: string | undefined;
  readonly priority?: string | undefined;
  /** The queue of all its requests; absent = by the routes. */
  readonly queue?: string | undefined;
}

/** What is known of a caller. */
export const callerTraits = ["tenant", "team", "tier", "priority"] as const;
export type CallerTrait = (typeof callerTraits)[number];
/** What can be told to gates. */
export type MetadataSource = CallerTrait | "key" | "model";

export type Traits = Readonly<Partial<Record<CallerTrait, string | undefined>>>;

/** Requests that go to one queue: those that match all that is given. */
export interface QueueChoice {
  readonly models?: readonly string[] | undefined;
  readonly tenants?: readonly string[] | undefined;
  readonly teams?: readonly string[] | undefined;
  readonly tiers?: readonly string[] | undefined;
  readonly priorities?: readonly string[] | undefined;
  readonly queue: string;
}

export interface CallerOptions {
  /** Whether headers say who calls, where the key does not. */
  readonly trustsHeaders: boolean;
  /** Names of those headers, lower-case. */
  readonly headers: Readonly<Record<CallerTrait, string>>;
  /** What is assumed of callers of whom nothing is said. */
  readonly defaults: Traits;
  /** Metadata of requests: what stands in each attribute. */
  readonly metadata: Readonly<Record<string, MetadataSource>>;
  /** The first that matches counts. */
  readonly routes: readonly QueueChoice[];
  /** The queue of requests that none matches. */
  readonly defaultQueue: string;
}

/** What is read of a request's headers. */
export interface CallerHeaders {
  get(lowerName: string): string | undefined;
}

/** Where a request goes, and what its gates are told. */
export interface Placement {
  readonly queue: string;
  readonly metadata: Readonly<Record<string, string>>;
}

/** Gates count by these words in keys whose parts a colon divides. */
const word = /^[!-9;-~]{1,256}$/;
const traceparent = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}(-[!-~]*)?$/;
const maxTraceStateLength = 512;

/** Finds out who calls, which queue serves him, and what its gates have to know. */
export class Callers {
  readonly #options: CallerOptions;

  constructor(options: CallerOptions) {
    this.#options = options;
  }

  /** @throws HttpError 400 when a header that counts is no word */
  traitsOf(headers: CallerHeaders, key: QueueApiKey | undefined): Traits {
    const { defaults, trustsHeaders, headers: names } = this.#options;
    const traits: Partial<Record<CallerTrait, string>> = {};
    for (const trait of callerTraits) {
      const header = trustsHeaders ? headers.get(names[trait]) : undefined;
      const value = key?.[trait] ?? checked(header, names[trait]) ?? defaults[trait];
      if (value !== undefined) traits[trait] = value;
    }
    return traits;
  }

  place(traits: Traits, key: QueueApiKey | undefined, model: string | undefined, headers: CallerHeaders): Placement {
    const { routes, defaultQueue, metadata } = this.#options;
    const choice = routes.find((each) => matches(each, traits, model));
    const told: Record<string, string> = {};
    for (const [attribute, source] of Object.entries(metadata)) {
      const value = source === "key" ? key?.name : source === "model" ? model : traits[source];
      if (value !== undefined && value !== "") told[attribute] = value;
    }
    addTrace(told, headers);
    return { queue: key?.queue ?? choice?.queue ?? defaultQueue, metadata: told };
  }
}

function checked(value: string | undefined, header: string): string | undefined {
  if (value === undefined || value === "") return undefined;
  if (word.test(value)) return value;
  throw new HttpError(
    400,
    "invalid_request",
    `the header ${header} must be 1 to 256 printable characters without spaces and colons`,
  );
}

function matches(choice: QueueChoice, traits: Traits, model: string | undefined): boolean {
  return (
    isAmong(model, choice.models) &&
    isAmong(traits.tenant, choice.tenants) &&
    isAmong(traits.team, choice.teams) &&
    isAmong(traits.tier, choice.tiers) &&
    isAmong(traits.priority, choice.priorities)
  );
}

function isAmong(value: string | undefined, values: readonly string[] | undefined): boolean {
  return values === undefined || (value !== undefined && values.includes(value));
}

/** The processor goes on with a trace that it finds in the metadata. */
function addTrace(metadata: Record<string, string>, headers: CallerHeaders): void {
  const parent = headers.get("traceparent");
  if (parent === undefined || !traceparent.test(parent)) return;
  metadata["traceparent"] = parent;
  const state = headers.get("tracestate");
  if (state !== undefined && state !== "" && state.length <= maxTraceStateLength) metadata["tracestate"] = state;
}
