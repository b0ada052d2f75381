export type { ExplainedPick, PickedRank, PickList, PickSummary, PicksLeftOut } from "./console-picks.ts";
export type {
  ConsoleAdmission,
  ConsoleError,
  ConsoleHistory,
  ConsoleMode,
  ConsoleModel,
  ConsoleQueueFront,
  ConsoleReadiness,
  ConsoleRecovery,
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
