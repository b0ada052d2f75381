export { ConsoleApi, type ConsoleApiOptions, type ConsoleApiParts } from "./console-api.ts";
export { ConsoleDoor, type ConsoleDoorParts } from "./console-door.ts";
export type { ExplainedPick, PickedRank, PickList, PickSummary, PicksLeftOut } from "./console-picks.ts";
export type { ConsoleSource } from "./console-source.ts";
export type {
  ConsoleAdmission,
  ConsoleError,
  ConsoleHistory,
  ConsoleMode,
  ConsoleModel,
  ConsoleQueueFront,
  ConsoleReadiness,
  ConsoleRecovery,
  ConsoleRefusal,
  ConsoleReplicas,
  ConsoleShard,
  ConsoleSibling,
  ConsoleState,
  ConsoleTotals,
} from "./console-state.ts";
export type {
  ConsoleEngine,
  ConsoleKvEvents,
  ConsoleLoad,
  ConsoleProblem,
  ConsoleRank,
  ConsoleWorker,
} from "./console-workers.ts";
export { History, type HistoryOptions } from "./history.ts";
export { Hosts } from "./hosts.ts";
export { type PageFile, readPageFiles } from "./page-files.ts";
export { StateFeed, type StateFeedOptions, type StateUpdate } from "./state-feed.ts";
export type { ConsoleFrame, ReadWorker, StateReading } from "./state-reading.ts";
export { pickParts, stateParts } from "./state-text.ts";
export type { ConsoleRefusalReason, ConsoleTelemetry } from "./telemetry.ts";
