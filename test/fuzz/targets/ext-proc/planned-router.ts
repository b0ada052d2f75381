import { RoutingError } from "../../../../src/errors/index.ts";
import type { PickDecision, PickRequest, PickRouter, PickWait } from "../../../../src/surface/ext-proc/index.ts";
import { FakeReservation } from "../../../unit/surface/ext-proc/fakes.ts";
import type { PickPlan } from "./stream-case.ts";

export const endpoint = "10.0.0.1:8000";
export const streamHeader = "x-fuzz-stream";
export const edit = { offset: 0, deleteBytes: 0, insert: [Buffer.from("EDIT"), Buffer.from("ED")] };
/** Of a worker that was asked for another model than the client has named. */
export const targetMember = '"model":"target"';
export const rewritten = Buffer.from('{"model":"target"}');

/** What the core was asked, and what it gave. */
export interface AskedPick {
  readonly stream: string;
  readonly body: Buffer;
  readonly hasPath: boolean;
  readonly subset: readonly string[] | undefined;
  readonly signal: AbortSignal | undefined;
}

/** A core that does as planned with each request. */
export class PlannedRouter implements PickRouter {
  readonly asked: AskedPick[] = [];
  readonly reservations: FakeReservation[] = [];
  /** By the name that a request bears. */
  readonly plans = new Map<string, PickPlan>();

  route(request: PickRequest, wait: PickWait): PickDecision | Promise<PickDecision> {
    const stream = request.headers.get(streamHeader) ?? "";
    const plan = this.plans.get(stream);
    const signal = plan?.when === "never" ? wait.signal : undefined;
    // A copy: the body's memory is used again.
    const { subset } = request;
    this.asked.push({ stream, body: Buffer.from(request.body), hasPath: request.path !== undefined, subset, signal });
    if (plan === undefined || plan.when === "atOnce") return this.#outcome(plan?.what ?? "pick", request);
    if (plan.when === "later") {
      return new Promise((resolve, reject) => {
        setImmediate(() => {
          try {
            resolve(this.#outcome(plan.what, request));
          } catch (error) {
            reject(error as Error);
          }
        });
      });
    }
    return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason as Error)));
  }

  #outcome(what: PickPlan["what"], request: PickRequest): PickDecision {
    if (what === "refuse") throw new RoutingError("none there", { code: "no_endpoints" });
    if (what === "fault") throw new TypeError("a fault of the core");
    const reservation = new FakeReservation(endpoint);
    this.reservations.push(reservation);
    const canChange = request.path !== undefined;
    return {
      endpoint,
      fallbacks: [],
      headers: [["x-worker", "1"]],
      bodyEdit: what === "edit" && canChange ? edit : undefined,
      reservation,
      model: "m",
      api: "chat",
      inputTokens: 1,
      predictedCachedTokens: 0,
      ...(what === "rewrite" && canChange
        ? { rewrite: { body: rewritten, requested: "asked", target: "target" } }
        : {}),
    };
  }
}
