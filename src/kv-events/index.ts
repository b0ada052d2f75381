export type { KvEventSink } from "./event-applier.ts";
export type { KvEventStatus, KvEventSubscriberDependencies } from "./kv-event-subscriber.ts";
export { KvEventSubscriber } from "./kv-event-subscriber.ts";
export type { KvEventCounter, KvEventCounters, KvEventLog } from "./observer.ts";
export type { KvEventSubscriberOptions, LostTrackPolicy } from "./subscriber-options.ts";
export type { Clock } from "./turn-budget.ts";
export { TurnBudget } from "./turn-budget.ts";
