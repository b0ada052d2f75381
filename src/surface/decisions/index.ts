export { DecisionMaker } from "./decision-maker.ts";
export { DecisionRoute } from "./decision-route.ts";
export { GatewayPicks, type GatewayRouter } from "./gateway-picks.ts";
export type { DecisionOptions } from "./options.ts";
export type { DecisionPhase, DecisionRouteName, DecisionTelemetry, DecisionWork } from "./telemetry.ts";
