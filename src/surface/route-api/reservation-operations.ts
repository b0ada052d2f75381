import { RoutingError } from "../../errors/index.ts";
import {
  type HttpAnswer,
  type HttpCall,
  HttpError,
  jsonAnswer,
  may,
  numberShape,
  type Operation,
  objectShape,
  type ParameterDescription,
} from "../../http/index.ts";
import type { BodyReader } from "./body.ts";
import type { RouteApiOptions } from "./options.ts";
import { invalid, maxNameLength } from "./prompt-fields.ts";
import { leaseHeader, refuseWithoutReserving } from "./select-operations.ts";

/** Reservations as this surface ends and renews them. */
export interface LeaseDesk {
  /** Idle lease of every reservation, ms. */
  readonly leaseMs: number;
  /** @throws RoutingError unknown_reservation */
  prefillComplete(id: string): unknown;
  /** @throws RoutingError unknown_reservation */
  outputBlock(id: string, fraction?: number): unknown;
  /** @throws RoutingError unknown_reservation */
  renew(id: string): unknown;
  /** @returns how it had ended already; undefined = by this call. @throws RoutingError unknown_reservation */
  release(id: string): string | undefined;
}

/** The other replica that made a reservation's id; undefined when that is not known of the id. */
export type OtherReplicaOf = (id: string) => string | undefined;

const idParameter: ParameterDescription = {
  name: "reservation_id",
  in: "path",
  description: "The reservation's id.",
  schema: { type: "string", maxLength: maxNameLength },
};

const done = { 200: { description: "Done.", schema: { type: "object" } } };
const unknown = {
  404: { description: "No such reservation is held: never made, released, expired, or its worker is gone." },
  421: { description: "Another replica holds it, whose name the answer tells." },
};
const ok = '{"status":"ok"}';

/** What becomes of a reservation. Each call on an id renews its lease. */
export function reservationOperations(
  { leases, otherReplicaOf }: { readonly leases: LeaseDesk; readonly otherReplicaOf: OtherReplicaOf },
  bodies: BodyReader,
  options: RouteApiOptions,
): readonly Operation[] {
  const answer = (params: HttpCall["params"], run: (id: string) => unknown): HttpAnswer => {
    refuseWithoutReserving(options);
    const id = params["reservation_id"] ?? "";
    try {
      run(id);
    } catch (error) {
      throw misdirected(error, id, otherReplicaOf) ?? error;
    }
    return jsonAnswer(200, ok, leaseHeader(leases.leaseMs));
  };
  const operation = (fields: Pick<Operation, "method" | "path" | "id" | "summary" | "handle" | "body">): Operation => ({
    tag: "reservations",
    access: "token",
    parameters: [idParameter],
    answers: { ...done, ...unknown },
    ...fields,
  });
  const outputBlock = objectShape({
    decay_fraction: may(numberShape(), "In [0,1]: what the request's output and own prompt blocks weigh from here on."),
  });
  return [
    operation({
      method: "POST",
      path: "/reservations/{reservation_id}/prefill_complete",
      id: "prefillComplete",
      summary: "The prompt is prefilled; may be told again",
      handle: ({ params }) => answer(params, (id) => leases.prefillComplete(id)),
    }),
    operation({
      method: "POST",
      path: "/reservations/{reservation_id}/output_block",
      id: "outputBlock",
      summary: "One more block of output was generated",
      body: outputBlock.schema,
      handle: ({ params, body }) => {
        const { decay_fraction: fraction } = bodies.read(body, outputBlock);
        if (fraction !== undefined && !(fraction >= 0 && fraction <= 1)) {
          throw invalid("decay_fraction must be between 0.0 and 1.0", "decay_fraction");
        }
        return answer(params, (id) => leases.outputBlock(id, fraction));
      },
    }),
    operation({
      method: "POST",
      path: "/reservations/{reservation_id}/renew",
      id: "renew",
      summary: "Keeps the reservation for another lease",
      handle: ({ params }) => answer(params, (id) => leases.renew(id)),
    }),
    operation({
      method: "DELETE",
      path: "/reservations/{reservation_id}",
      id: "release",
      summary: "The request is over, however it ended",
      handle: ({ params }) => answer(params, (id) => release(leases, id)),
    }),
  ];
}

/** What a caller is told whose call belongs to another replica; undefined when that is not what went wrong. */
function misdirected(error: unknown, id: string, otherReplicaOf: OtherReplicaOf): HttpError | undefined {
  if (!(error instanceof RoutingError) || error.code !== "unknown_reservation") return undefined;
  const replica = otherReplicaOf(id);
  if (replica === undefined) return undefined;
  return new HttpError(
    421,
    "other_replica",
    `reservation ${id} was made by the replica ${replica}: send the call there`,
  );
}

/** Like the other calls: what is over is no longer found. */
function release(leases: LeaseDesk, id: string): void {
  const end = leases.release(id);
  if (end === undefined) return;
  throw new RoutingError(`reservation ${id} not found: ${end}`, { code: "unknown_reservation" });
}
