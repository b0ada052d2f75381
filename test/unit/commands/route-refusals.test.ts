import { expect, it } from "vitest";
import { tellingRefusals } from "../../../src/commands/route-refusals.ts";
import { RoutingError } from "../../../src/errors/index.ts";
import { type HttpCall, HttpError, type Operation } from "../../../src/http/index.ts";
import type { RefusedRequest } from "../../../src/telemetry/index.ts";

const common = { method: "POST", path: "/x", tag: "route", summary: "", access: "token", answers: {} } as const;

/** What is told of an operation that throws. */
async function toldOf(id: string, error: Error, signal = new AbortController().signal): Promise<RefusedRequest[]> {
  const told: RefusedRequest[] = [];
  const operation: Operation = { ...common, id, handle: () => Promise.reject(error) };
  const [telling] = tellingRefusals([operation], { add: (refusal) => told.push(refusal) });
  const call = { headers: { "x-request-id": "mine" }, signal } as unknown as HttpCall;
  await expect(telling?.handle(call)).rejects.toBe(error);
  return told;
}

it("what places requests tells of what it refuses, by the code and status of the answer", async () => {
  const error = new RoutingError("nobody", { code: "no_endpoints" });
  const told = { surface: "route-api", status: 503, code: "no_endpoints", message: "nobody", requestId: "mine" };
  for (const id of ["route", "routeAndReserve", "select", "selectAndReserve"]) {
    expect(await toldOf(id, error)).toEqual([told]);
  }
  const field = new RoutingError("not so", { code: "invalid_request", field: "token_ids[3]" });
  expect(await toldOf("route", field)).toMatchObject([{ status: 400, code: "invalid_request", field: "token_ids[3]" }]);
  expect(await toldOf("select", new HttpError(429, "saturated", "full"))).toMatchObject([{ status: 429 }]);
  expect(await toldOf("select", new Error("broken"))).toMatchObject([{ status: 500, code: "internal" }]);
});

it("nothing is told of what places none, nor of who has left", async () => {
  const error = new RoutingError("gone", { code: "unknown_reservation" });
  for (const id of ["release", "putWorker", "explainDecision"]) expect(await toldOf(id, error)).toEqual([]);
  expect(await toldOf("route", error, AbortSignal.abort())).toEqual([]);
});
