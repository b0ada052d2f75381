import {
  flagShape,
  type HttpAnswer,
  HttpError,
  type JsonSchema,
  jsonAnswer,
  may,
  must,
  type Operation,
  objectShape,
  otherwise,
  textShape,
  u32Shape,
  u64Shape,
} from "../../http/index.ts";
import type { GivenPrompt, Placeable, Selections } from "../../router/index.ts";
import type { BodyReader } from "./body.ts";
import { affinityOf, demandMembers, demandsOf, overridesOf, sessionOf } from "./demand-fields.ts";
import type { RouteApiOptions } from "./options.ts";
import {
  invalid,
  maxNameLength,
  partitionMembers,
  promptMembers,
  reservedPromptOf,
  strictPromptOf,
} from "./prompt-fields.ts";
import type { SelectionWriter } from "./selection-answer.ts";
import { selectionSchema } from "./selection-answer.ts";

/** What the selection operations need. */
export interface SelectDependencies {
  readonly selections: Selections;
  readonly bodies: BodyReader;
  readonly writer: SelectionWriter;
  readonly options: RouteApiOptions;
}

const selectionId = textShape(maxNameLength);

/** `/select`, `/select_and_reserve` and `POST /reservations`: the wire of dynamo@1.6.1 select_service. */
export function selectOperations(dependencies: SelectDependencies): readonly Operation[] {
  return [select(dependencies), selectAndReserve(dependencies), createReservation(dependencies)];
}

const refusals = {
  400: { description: "A field has a value that it may not have." },
  422: { description: "A field has another type than it must have." },
  503: { description: "No worker may serve the request." },
};

function select({ selections, bodies, writer, options }: SelectDependencies): Operation {
  const shape = objectShape({
    ...partitionMembers,
    selection_id: may(selectionId, "Keeps the selection for `POST /reservations` under this id."),
    ...promptMembers(options.bounds),
    ...demandMembers(options.bounds),
    advisory: otherwise(flagShape, false, "Whether the answer tells the load of the chosen worker."),
  });
  return {
    method: "POST",
    path: "/select",
    id: "select",
    tag: "dynamo",
    summary: "Chooses a worker; books nothing",
    access: "token",
    body: shape.schema,
    answers: { 200: { description: "The chosen worker.", schema: selectionSchema(false) }, ...refusals },
    handle: ({ body }) => {
      const { fields, arrays } = bodies.readPrompt(body, shape);
      const partition = selections.partition(fields.model_name, fields.routing_group);
      const prompt = strictPromptOf(fields, arrays);
      const subject = { ...selections.subject(partition, prompt, aggregated(fields)), session: sessionOf(fields) };
      const selection = selections.select(subject, affinityOf(fields));
      const { selection_id: id } = fields;
      if (id !== undefined && options.reserves) selections.keep(partition, id, selection);
      return jsonAnswer(200, writer.selection(partition, selection, { id, isAdvisory: fields.advisory }));
    },
  };
}

/** This API tells of one worker: it is the one that does everything. */
function aggregated(fields: Parameters<typeof demandsOf>[0]) {
  return { ...demandsOf(fields), isAggregated: true };
}

function selectAndReserve({ selections, bodies, writer, options }: SelectDependencies): Operation {
  const shape = objectShape({
    ...partitionMembers,
    selection_id: may(selectionId, "Id of the reservation; absent = one is made."),
    ...promptMembers(options.bounds),
    ...demandMembers(options.bounds),
  });
  return {
    method: "POST",
    path: "/select_and_reserve",
    id: "selectAndReserve",
    tag: "dynamo",
    summary: "Chooses a worker and books the request there, in one step",
    access: "token",
    body: shape.schema,
    answers: {
      200: { description: "The chosen worker and the reservation.", schema: selectionSchema(true) },
      ...refusals,
      403: { description: "This deployment only answers queries." },
      409: { description: "The id is held by another reservation." },
      429: { description: "Too many reservations are held." },
    },
    handle: ({ body }) => {
      refuseWithoutReserving(options);
      const { fields, arrays } = bodies.readPrompt(body, shape);
      const partition = selections.partition(fields.model_name, fields.routing_group);
      const prompt = strictPromptOf(fields, arrays);
      const subject = { ...selections.subject(partition, prompt, aggregated(fields)), session: sessionOf(fields) };
      const { lease, selection } = selections.reserve(subject, affinityOf(fields), fields.selection_id);
      const tracksPrefill = subject.demands.overrides?.tracksPrefill ?? true;
      const text = writer.selection(partition, selection, { id: lease.id, reserved: { tracksPrefill } });
      return jsonAnswer(200, text, leaseHeader(lease.leaseMs));
    },
  };
}

const reservationSchema: JsonSchema = {
  type: "object",
  required: ["selection_id", "model_name", "routing_group", "worker_id", "dp_rank", "endpoint"],
  properties: {
    selection_id: { type: "string" },
    model_name: { type: "string" },
    routing_group: { type: "string" },
    worker_id: { type: "integer", format: "uint64" },
    dp_rank: { type: "integer" },
    endpoint: { type: "string" },
  },
};

function createReservation(dependencies: SelectDependencies): Operation {
  const { bodies, options } = dependencies;
  const shape = objectShape({
    ...partitionMembers,
    selection_id: must(
      selectionId,
      "Id of the reservation: that of a selection made before, or a new one with `worker_id`.",
    ),
    worker_id: may(u64Shape, "Books on this worker, without a selection."),
    dp_rank: may(u32Shape, "Its data-parallel rank; 0 when absent."),
    ...promptMembers(options.bounds),
    router_config_override: demandMembers(options.bounds).router_config_override,
    expected_output_tokens: may(u32Shape, "Not looked at yet."),
    effective_prefill_tokens: may(u64Shape, "Prompt tokens that the worker has yet to prefill; none when absent."),
    track_prefill_tokens: may(flagShape, "Whether these are charged."),
  });
  return {
    method: "POST",
    path: "/reservations",
    id: "createReservation",
    tag: "dynamo",
    summary: "Books a selection made before, or a worker that the caller chose",
    access: "token",
    body: shape.schema,
    answers: {
      201: { description: "Booked.", schema: reservationSchema },
      ...refusals,
      403: { description: "This deployment only answers queries." },
      404: { description: "No such selection waits, or no such worker is there." },
      409: { description: "The id is held by another reservation." },
    },
    handle: ({ body }) => {
      refuseWithoutReserving(options);
      const { fields, arrays } = bodies.readPrompt(body, shape);
      if (fields.worker_id === undefined) return replay(dependencies, fields);
      return book(dependencies, { ...fields, worker_id: fields.worker_id }, reservedPromptOf(fields, arrays));
    },
  };
}

interface ReservationPlace {
  readonly model_name: string;
  readonly routing_group: string;
  readonly selection_id: string;
}

function replay({ selections, writer }: SelectDependencies, fields: ReservationPlace): HttpAnswer {
  const { model_name: model, routing_group: group, selection_id: id } = fields;
  const { selection, lease } = selections.reservePending(model, group, id);
  return jsonAnswer(201, writer.reservation(fields, selection.answering.rank), leaseHeader(lease.leaseMs));
}

interface BookingFields extends ReservationPlace {
  readonly worker_id: bigint;
  readonly dp_rank: number | undefined;
  readonly router_config_override: Parameters<typeof overridesOf>[0];
  readonly effective_prefill_tokens: bigint | undefined;
  readonly track_prefill_tokens: boolean | undefined;
}

/** Books on a worker that the caller chose. An earlier selection of this id is forgotten. */
function book({ selections, writer }: SelectDependencies, fields: BookingFields, prompt: GivenPrompt): HttpAnswer {
  const { model_name: model, routing_group: group, selection_id: id, effective_prefill_tokens: effective } = fields;
  const partition = selections.partition(model, group);
  selections.forget(partition, id);
  const demands = { constraints: {}, overrides: overridesOf(fields.router_config_override) };
  const subject = selections.subject(partition, prompt, demands);
  const prefillTokens = prefillTokensOf(subject, effective, fields.track_prefill_tokens ?? effective !== undefined);
  const target = { workerId: fields.worker_id, dpRank: fields.dp_rank ?? 0 };
  const { rank, lease } = selections.reserveOn(partition, target, { subject, prefillTokens }, id);
  return jsonAnswer(201, writer.reservation(fields, rank), leaseHeader(lease.leaseMs));
}

function prefillTokensOf({ promptTokens = 0 }: Placeable, effective: bigint | undefined, isTracked: boolean): number {
  if (effective === undefined) return 0;
  if (effective > BigInt(promptTokens)) {
    const message = `effective_prefill_tokens (${effective}) must not exceed isl_tokens (${promptTokens})`;
    throw invalid(message, "effective_prefill_tokens");
  }
  return isTracked ? Number(effective) : 0;
}

/** @throws HttpError 403 in a deployment that only answers queries */
export function refuseWithoutReserving({ reserves }: RouteApiOptions): void {
  if (!reserves) throw new HttpError(403, "forbidden", "this deployment only answers queries (mode query)");
}

/** Names the idle lease of a reservation where the body is of another's format. */
export function leaseHeader(leaseMs: number): Readonly<Record<string, string>> {
  return { "x-reservation-lease-ms": String(leaseMs) };
}
