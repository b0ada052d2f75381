export type { LoadTableOptions } from "./load-table.ts";
export { LoadTable, resolveLoadTableOptions } from "./load-table.ts";
export type { Reservation, ReservationRequest } from "./reservation.ts";
