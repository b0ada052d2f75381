import {
  type BodyBounds,
  type DecisionDialect,
  DecisionError,
  errorEnvelope,
  parseDecision,
} from "../../decisions/index.ts";
import { RoutingError, type RoutingErrorCode } from "../../errors/index.ts";
import type { PrepareWait, RewrittenBody, RouteDecision, RouteRequest, ScoringPicks } from "../../router/index.ts";
import { capableWorkers } from "./eligible-workers.ts";
import { decisionErrorOf } from "./fault-of.ts";
import { isJsonMediaType } from "./media-type.ts";
import { noScoringError } from "./no-scoring.ts";
import { requestIdOf } from "./request-id.ts";

/** A pick as a gateway takes it. */
export type GatewayDecision = Omit<RouteDecision, "selection" | "explain" | "reservation"> & {
  readonly reservation: Pick<RouteDecision["reservation"], "prefillComplete" | "release" | "servedBy" | "tried">;
  /** The body goes on changed. */
  readonly rewrite?: RewrittenBody;
};

/** Who picks for all other paths. */
export interface GatewayRouter {
  route(request: RouteRequest, wait: PrepareWait): GatewayDecision | Promise<GatewayDecision>;
  /** The body under the name that rules want for its model; undefined = it keeps its own. */
  rewrite(
    body: Buffer,
    headers: RouteRequest["headers"],
  ): RewrittenBody | undefined | Promise<RewrittenBody | undefined>;
}

export interface GatewayPicksParts {
  readonly others: GatewayRouter;
  readonly picks: Pick<ScoringPicks, "workersOf" | "pickWhole">;
  readonly systemonePath: string;
  readonly modelAliases: Readonly<Record<string, string>>;
  /** Where decisions are made; undefined = the workers answer the routes themselves. */
  readonly serviceEndpoint: string | undefined;
  readonly retryAfterSeconds: number;
  readonly bounds: BodyBounds;
}

/** Behind a gateway: the routes of typed decisions go to whoever answers them. */
export class GatewayPicks {
  readonly #parts: GatewayPicksParts;

  constructor(parts: GatewayPicksParts) {
    this.#parts = parts;
  }

  /** @throws RoutingError, or rejects with it: with the contract's answer where the path is one of the routes */
  route(request: RouteRequest, wait: PrepareWait): GatewayDecision | Promise<GatewayDecision> {
    const { others, serviceEndpoint } = this.#parts;
    const dialect = this.#dialectOf(request);
    if (dialect === undefined) return others.route(request, wait);
    if (serviceEndpoint !== undefined) return serviceDecision(serviceEndpoint);
    // The gateway does not show the body: any worker will do.
    if (request.path === undefined) return others.route(request, wait);
    const refuse = (cause: unknown) => this.#refusal(cause, dialect, request);
    try {
      const decision = this.#pick(request, dialect, wait);
      if (!(decision instanceof Promise)) return decision;
      return decision.catch((cause) => {
        throw refuse(cause);
      });
    } catch (cause) {
      throw refuse(cause);
    }
  }

  #dialectOf({ path, headers }: RouteRequest): DecisionDialect | undefined {
    const method = headers.get(":method");
    if (method !== undefined && method !== "POST") return undefined;
    const bare = (path ?? headers.get(":path"))?.split("?", 1)[0];
    if (bare === "/v1/decisions") return "openai";
    return bare === this.#parts.systemonePath ? "jev" : undefined;
  }

  #pick(
    request: RouteRequest,
    dialect: DecisionDialect,
    wait: PrepareWait,
  ): GatewayDecision | Promise<GatewayDecision> {
    if (!isJsonMediaType(request.headers.get("content-type"))) {
      throw new DecisionError("media_type", "content-type must be application/json");
    }
    const rewrite = this.#parts.others.rewrite(request.body, request.headers);
    if (!(rewrite instanceof Promise)) return this.#pickAs(rewrite, request, dialect, wait);
    return rewrite.then((late) => {
      wait.signal.throwIfAborted();
      return this.#pickAs(late, request, dialect, wait);
    });
  }

  #pickAs(
    rewrite: RewrittenBody | undefined,
    request: RouteRequest,
    dialect: DecisionDialect,
    wait: PrepareWait,
  ): GatewayDecision | Promise<GatewayDecision> {
    if (rewrite === undefined) return this.#place(request, dialect, wait);
    const decision = this.#place({ ...request, body: rewrite.body }, dialect, wait);
    const named = (late: GatewayDecision): GatewayDecision => ({ ...late, rewrite });
    return decision instanceof Promise ? decision.then(named) : named(decision);
  }

  #place(
    request: RouteRequest,
    dialect: DecisionDialect,
    wait: PrepareWait,
  ): GatewayDecision | Promise<GatewayDecision> {
    const { picks, modelAliases, bounds } = this.#parts;
    const asked = parseDecision(request.body, dialect, bounds);
    const alias = Object.hasOwn(modelAliases, asked.model) ? modelAliases[asked.model] : undefined;
    const target = picks.workersOf(alias ?? asked.model);
    if (typeof target === "string") throw noScoringError(target);
    return picks.pickWhole({ ...target, workers: capableWorkers(asked, target.workers) }, request, wait);
  }

  #refusal(cause: unknown, dialect: DecisionDialect, { headers }: RouteRequest): RoutingError {
    const error = decisionErrorOf(cause);
    const requestId = requestIdOf(headers);
    const own = [
      ["x-request-id", requestId],
      ["x-typesafe-request-id", requestId],
    ] as const;
    const isFull = error.fault === "capacity";
    return new RoutingError(error.message, {
      code: cause instanceof RoutingError ? cause.code : (codeByStatus[error.statusIn(dialect)] ?? "internal"),
      cause,
      ...(isFull ? { retryAfterSeconds: this.#parts.retryAfterSeconds } : {}),
      answer: {
        status: error.statusIn(dialect),
        body: errorEnvelope(dialect, error.code, error.message),
        headers: own,
      },
    });
  }
}

/** What the gateway's log says of a refusal. */
const codeByStatus: Readonly<Record<number, RoutingErrorCode>> = {
  400: "invalid_request",
  404: "unknown_model",
  415: "invalid_request",
  422: "unprocessable",
  429: "saturated",
  503: "no_endpoints",
};

/** The service picks, books and answers: nothing is charged here. */
function serviceDecision(endpoint: string): GatewayDecision {
  return {
    endpoint,
    fallbacks: [],
    headers: [],
    bodyEdit: undefined,
    api: "promptless",
    model: undefined,
    inputTokens: undefined,
    predictedCachedTokens: undefined,
    reservation: {
      prefillComplete: () => undefined,
      release: () => undefined,
      servedBy: (served) => served !== endpoint,
      tried: () => undefined,
    },
  };
}
