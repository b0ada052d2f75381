export type { AdmissionRequest, QueueEnvironment, QueueOptions, WaitEnd } from "./admission/admission-queue.ts";
export { AdmissionQueue } from "./admission/admission-queue.ts";
export { type BusyThresholds, isBusy, isLimiting, noThresholds, type RankLoad } from "./admission/thresholds.ts";
export type { Lease, LeaseClock, LeasedLoad, LeaseEnd, LeaseOptions } from "./lease-table.ts";
export { LeaseTable } from "./lease-table.ts";
export type { LoadTableOptions } from "./load-table.ts";
export { LoadTable, resolveLoadTableOptions } from "./load-table.ts";
export { type EngineReport, type ForeignLoad, LoadView } from "./load-view.ts";
export type { Reservation, ReservationRequest } from "./reservation.ts";
