export type { Clock } from "../../http/index.ts";
export type { BodyMode } from "./body-mode.ts";
export type { ExtProcServer, HealthServer } from "./ext-proc-server.ts";
export { startExtProcServer, startHealthServer } from "./ext-proc-server.ts";
export type { ExtProcOptions, TlsOptions } from "./options.ts";
export type {
  BodySplice,
  PickDecision,
  PickRequest,
  PickRequestHeaders,
  PickReservation,
  PickRouter,
  PickWait,
} from "./pick-router.ts";
export type {
  ExtProcLogger,
  ExtProcTelemetry,
  InFlightTotals,
  PickReport,
  StreamPhase,
  UsageReport,
  UsageUnreadReason,
} from "./telemetry.ts";
