import { RoutingError } from "../../errors/index.ts";
import {
  type HttpAnswer,
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

const idParameter: ParameterDescription = {
  name: "reservation_id",
  in: "path",
  description: "The reservation's id.",
  schema: { type: "string", maxLength: maxNameLength },
};

const done = { 200: { description: "Done.", schema: { type: "object" } } };
const unknown = {
  404: { description: "No such reservation is held: never made, released, expired, or its worker is gone." },
};
const ok = '{"status":"ok"}';

/** What becomes of a reservation. Each call on an id renews its lease. */
export function reservationOperations(
  leases: LeaseDesk,
  bodies: BodyReader,
  options: RouteApiOptions,
): readonly Operation[] {
  const answer = (run: () => unknown): HttpAnswer => {
    refuseWithoutReserving(options);
    run();
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
      handle: ({ params }) => answer(() => leases.prefillComplete(idOf(params))),
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
        return answer(() => leases.outputBlock(idOf(params), fraction));
      },
    }),
    operation({
      method: "POST",
      path: "/reservations/{reservation_id}/renew",
      id: "renew",
      summary: "Keeps the reservation for another lease",
      handle: ({ params }) => answer(() => leases.renew(idOf(params))),
    }),
    operation({
      method: "DELETE",
      path: "/reservations/{reservation_id}",
      id: "release",
      summary: "The request is over, however it ended",
      handle: ({ params }) => answer(() => release(leases, idOf(params))),
    }),
  ];
}

function idOf(params: Readonly<Record<string, string>>): string {
  return params["reservation_id"] ?? "";
}

/** Like the other calls: what is over is no longer found. */
function release(leases: LeaseDesk, id: string): void {
  const end = leases.release(id);
  if (end === undefined) return;
  throw new RoutingError(`reservation ${id} not found: ${end}`, { code: "unknown_reservation" });
}
