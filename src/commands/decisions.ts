import type { Config } from "../config/index.ts";
import type { AuthorizedWorkers } from "../dispatch/index.ts";
import { BodyIntake, systemClock } from "../http/index.ts";
import { rewriteModel, ScoringPicks } from "../router/index.ts";
import {
  DecisionMaker,
  type DecisionOptions,
  DecisionRoute,
  type DecisionTelemetry,
  GatewayPicks,
  type GatewayRouter,
} from "../surface/decisions/index.ts";
import type { MountedRoute } from "../surface/proxy/index.ts";
import type { Metrics } from "../telemetry/index.ts";
import { ObservedRouter } from "./observed-router.ts";
import type { ProxyParts } from "./proxy.ts";
import { workerReports } from "./worker-reports.ts";

/** The routes of typed decisions; none unless they are switched on. */
export function decisionRoutes(parts: ProxyParts, dispatcher: AuthorizedWorkers): readonly MountedRoute[] {
  const { core, config, log, metrics, prober, tracer, watchers } = parts;
  const { enabled, systemonePath, maxBodyBytes, maxHeldBodyBytes, retryAfterSeconds } = config.decisionsApi;
  if (!enabled) return [];
  const telemetry = telemetryOf(metrics);
  const maker = new DecisionMaker({
    picks: new ScoringPicks(
      new ObservedRouter(core.router, metrics.requests, log, watchers),
      core.models,
      core.catalogue,
    ),
    rewrite: (body, headers) => rewriteModel(body, headers, core.rewrites),
    dispatcher,
    reports: workerReports(core.catalogue, prober),
    telemetry,
    clock: systemClock,
    reader: core.json,
    options: optionsOf(config),
  });
  metrics.decisions.sample(maker);
  const { requestTimeoutMs } = config.proxy;
  const bodies = new BodyIntake({ maxBodyBytes, maxHeldBodyBytes, requestTimeoutMs }, systemClock);
  const shared = { maker, bodies, telemetry, tracer, log, clock: systemClock, retryAfterSeconds };
  return [
    new DecisionRoute("/v1/decisions", "decisions", shared),
    new DecisionRoute(systemonePath, "systemone", shared),
  ];
}

/** Picks for a gateway, which sends the routes of typed decisions here as all others. */
export function gatewayRouter<R extends GatewayRouter>(
  others: R,
  observed: ObservedRouter,
  { core, config }: Pick<ProxyParts, "core" | "config">,
) {
  const { enabled, serviceEndpoint, systemonePath, modelAliases, retryAfterSeconds } = config.decisionsApi;
  if (!enabled) return others;
  const picks = new ScoringPicks(observed, core.models, core.catalogue);
  const bounds = { reader: core.json, maxValues: config.decisionsApi.maxValues };
  return new GatewayPicks({ others, picks, systemonePath, modelAliases, serviceEndpoint, retryAfterSeconds, bounds });
}

function optionsOf({ decisionsApi }: Config): DecisionOptions {
  const { enabled: _, systemonePath: _path, serviceEndpoint: _service, ...options } = decisionsApi;
  return options;
}

function telemetryOf({ decisions, requests, refusals }: Metrics): DecisionTelemetry {
  return {
    answered: (route, status, durationMs) => decisions.answered(route, status, durationMs),
    refused: ({ fault, status, requestId }) => {
      // Its client has left.
      if (fault !== "cancelled") refusals.add({ surface: "decisions", code: fault, status, requestId });
    },
    phase: (route, phase, durationMs) => decisions.phase(route, phase, durationMs),
    asked: (route, work) => decisions.asked(route, work),
    picked: (pick) => requests.picked({ ...pick, mode: "proxy" }),
    used: (usage) => requests.usage(usage),
  };
}
