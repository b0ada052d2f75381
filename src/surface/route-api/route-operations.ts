import { RoutingError } from "../../errors/index.ts";
import {
  flagShape,
  type HttpCall,
  jsonAnswer,
  may,
  type ObjectOf,
  type Operation,
  objectShape,
  otherwise,
  textShape,
} from "../../http/index.ts";
import {
  defaultGroup,
  type GivenPrompt,
  isModelLoading,
  type Partitions,
  type Placeable,
  type PreparedRequest,
  type RouteDemands,
  type Router,
  type RouteTarget,
  type Selections,
} from "../../router/index.ts";
import type { RequestTrace, RequestTracer } from "../../telemetry/index.ts";
import type { Arrays, BodyReader } from "./body.ts";
import { withinDeadline } from "./deadline.ts";
import { affinityOf, demandMembers, demandsOf, sessionOf } from "./demand-fields.ts";
import type { RouteApiOptions } from "./options.ts";
import {
  blockHashesOf,
  invalid,
  lengthOf,
  maxNameLength,
  promptMembers,
  sequenceHashesOf,
  tokenPromptOf,
} from "./prompt-fields.ts";
import { type RouteAnswerParts, type RouteWriter, routeSchema } from "./route-answer.ts";
import { clientRequestShape, routeRequestOf } from "./route-request.ts";
import { refuseWithoutReserving } from "./select-operations.ts";
import { chosenIn, traced, waitIn } from "./traced.ts";

export interface RouteDependencies {
  readonly router: Pick<Router, "prepare" | "lease" | "targetOf">;
  readonly selections: Selections;
  readonly partitions: Partitions;
  readonly bodies: BodyReader;
  readonly writer: RouteWriter;
  readonly options: RouteApiOptions;
  /** Absent = there are no traces. */
  readonly tracer?: RequestTracer | undefined;
}

const name = textShape(maxNameLength);

function routeMembers({ bounds }: RouteApiOptions) {
  return {
    request: may(
      clientRequestShape(bounds),
      "The client's own request, which is rendered and tokenized as its worker does.",
    ),
    model_name: may(name, "Model that the workers serve; with `request` the one that its body names."),
    routing_group: otherwise(name, defaultGroup, "Group of workers within the model."),
    ...promptMembers(bounds),
    ...demandMembers(bounds),
    explain: otherwise(flagShape, false, "Whether the answer says why: every worker with its cost."),
    return_token_ids: otherwise(flagShape, false, "Whether the answer holds the token ids of `request`."),
  };
}

type RouteFields = ObjectOf<ReturnType<typeof routeMembers>>;

/** A prompt that is ready for the choice. */
interface RouteSubject {
  readonly subject: Placeable;
  /** Undefined: the request names no model. */
  readonly model: string | undefined;
  readonly group: string;
  /** Of a client's own request, when they are known. */
  readonly tokenIds: Uint32Array | undefined;
}

/** `/route` and `/route_and_reserve`: where a request should go, whatever is known of it. */
export function routeOperations(dependencies: RouteDependencies): readonly Operation[] {
  const { router, selections, writer, options, bodies, tracer } = dependencies;
  const { maxRequestBytes } = options.bounds;
  const query = objectShape(routeMembers(options), "refuse");
  const reserve = objectShape(
    { ...routeMembers(options), reservation_id: may(name, "Id of the reservation; absent = one is made.") },
    "refuse",
  );
  const common = { method: "POST", tag: "route", access: "token" } as const;
  const answers = {
    400: { description: "A field has a value that it may not have." },
    404: { description: "The model is not served here." },
    422: { description: "A field has another type than it must have." },
    503: { description: "No worker may serve the request, or its model is still being loaded." },
    504: { description: "The answer was not there in time." },
  };
  return [
    {
      ...common,
      path: "/route",
      id: "route",
      summary: "Tells where a request should go; books nothing",
      description: "Give one of `request`, `token_ids` and `block_hashes`.",
      body: query.schema,
      answers: { 200: { description: "The chosen worker.", schema: routeSchema(false) }, ...answers },
      handle: (call) =>
        traced(tracer, "route_api.route", call, async (trace) => {
          const { fields, arrays, rest, clientBody } = bodies.readPrompt(call.body, query, maxRequestBytes);
          const prepared = await subjectOf(dependencies, fields, arrays, { call, rest, clientBody, trace });
          const choose = () => router.targetOf(selections.select(prepared.subject, affinityOf(fields)));
          return jsonAnswer(200, answerOf(writer, chosenIn(trace, choose), fields, prepared));
        }),
    },
    {
      ...common,
      path: "/route_and_reserve",
      id: "routeAndReserve",
      summary: "Tells where a request should go, and books its load there",
      description:
        "Give one of `request`, `token_ids` and `block_hashes`. The reservation ends when no call names its id for `lease_ms`.",
      body: reserve.schema,
      answers: {
        200: { description: "The chosen worker and the reservation.", schema: routeSchema(true) },
        ...answers,
        403: { description: "This deployment only answers queries." },
        409: { description: "The id is held by another reservation." },
        429: { description: "Too many reservations are held." },
      },
      handle: (call) =>
        traced(tracer, "route_api.route_and_reserve", call, async (trace) => {
          refuseWithoutReserving(options);
          const { fields, arrays, rest, clientBody } = bodies.readPrompt(call.body, reserve, maxRequestBytes);
          const prepared = await subjectOf(dependencies, fields, arrays, { call, rest, clientBody, trace });
          const choose = () => selections.reserve(prepared.subject, affinityOf(fields), fields.reservation_id);
          const decision = chosenIn(trace, choose);
          return jsonAnswer(200, answerOf(writer, decision, fields, { ...prepared, lease: decision.lease }));
        }),
    },
  ];
}

function answerOf(
  writer: RouteWriter,
  target: RouteTarget,
  { explain, return_token_ids: returnsTokenIds }: RouteFields,
  parts: Omit<RouteAnswerParts, "returnsTokenIds">,
): string | AsyncIterable<string> {
  const all = { ...parts, returnsTokenIds };
  return explain ? writer.explained(target, all) : writer.route(target, all);
}

/** Where a client's request stands. */
interface RequestSource {
  readonly call: HttpCall;
  /** What was left of the body when its parts were lifted. */
  readonly rest: Buffer;
  /** The lifted client's body. */
  readonly clientBody: Buffer | undefined;
  readonly trace: RequestTrace | undefined;
}

async function subjectOf(
  dependencies: RouteDependencies,
  fields: RouteFields,
  arrays: Arrays,
  source: RequestSource,
): Promise<RouteSubject> {
  const { selections } = dependencies;
  const given = givenPromptOf(fields, arrays);
  if (given === undefined) return requestSubject(dependencies, fields, source);
  const partition = selections.partition(fields.model_name ?? "default", fields.routing_group);
  return {
    subject: { ...selections.subject(partition, given, demandsOf(fields)), session: sessionOf(fields) },
    model: partition.model,
    group: partition.group,
    tokenIds: undefined,
  };
}

/** @returns undefined when the client's request is given. @throws RoutingError invalid_request unless one input is */
function givenPromptOf(fields: RouteFields, arrays: Arrays): GivenPrompt | undefined {
  const tokens = tokenPromptOf(fields, arrays);
  const blocks = blockHashesOf(fields, arrays);
  const inputs = [fields.request, tokens, blocks].filter((input) => input !== undefined);
  if (inputs.length !== 1) throw invalid("give one of request, token_ids and block_hashes", "token_ids");
  if (blocks === undefined) return tokens;
  const promptTokens = fields.isl_tokens === undefined ? undefined : lengthOf(fields.isl_tokens);
  return { kind: "hashes", blocks, loadSequence: sequenceHashesOf(fields, arrays), promptTokens };
}

async function requestSubject(
  dependencies: RouteDependencies,
  fields: RouteFields,
  { call, rest, clientBody, trace }: RequestSource,
): Promise<RouteSubject> {
  const { router, options } = dependencies;
  const { request } = fields;
  if (request === undefined) throw new Error("a request is given when no prompt is");
  const preparing = router.prepare(
    routeRequestOf(request, { clientBody, rest }, options.trustsClients),
    waitIn(trace, call),
  );
  const prepared =
    preparing instanceof Promise
      ? await withinDeadline(preparing, options.deadlineMs, () => call.keepBody())
      : preparing;
  if (isModelLoading(prepared)) {
    throw new RoutingError("not ready: the model is being loaded", { code: "not_ready" });
  }
  const demands = mergedDemands(prepared.demands, demandsOf(fields));
  const session = sessionOf(fields) ?? prepared.session;
  return {
    subject: { ...inGroup(dependencies, prepared, fields), demands, session },
    model: fields.model_name ?? prepared.model?.name,
    group: fields.routing_group,
    tokenIds: prepared.prompt?.tokenIds,
  };
}

/** The request among the workers of the group that the caller names. */
function inGroup(
  { partitions, selections }: RouteDependencies,
  prepared: PreparedRequest,
  fields: RouteFields,
): Placeable {
  const { routing_group: group, model_name: model = prepared.model?.name } = fields;
  if (group === defaultGroup && model === prepared.model?.name) return prepared;
  if (model === undefined)
    throw new RoutingError("the request names no model that is served here", { code: "unknown_model", field: "model" });
  const partition = partitions.find(model, group) ?? selections.partition(model, group);
  const isAlike = partition.blockSize === prepared.model?.index.blockSize;
  const hashes = isAlike ? prepared.hashes : undefined;
  const loadOnlyReason = isAlike ? prepared.loadOnlyReason : "another block size";
  return { ...prepared, model: partition.served, hashes, loadOnlyReason };
}

/** What the caller demands comes before what its trusted client's body does. */
function mergedDemands(client: RouteDemands, caller: RouteDemands): RouteDemands {
  return {
    ...client,
    constraints: { ...client.constraints, ...caller.constraints },
    overrides: caller.overrides ?? client.overrides,
  };
}
