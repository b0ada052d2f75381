export { type ReplicaEnvironment, systemEnvironment } from "./environment.ts";
export type { LoadPublisherOptions, ReplicaIdentity } from "./load-publisher.ts";
export type { MessageSink } from "./paced-sink.ts";
export type { RedisLinkObserver, RedisLinkOptions } from "./redis-link.ts";
export { RedisLink } from "./redis-link.ts";
export type { ReplicaLoadState } from "./replica-loads.ts";
export { ReplicaLoads } from "./replica-loads.ts";
export { SessionSharing, type SharedBinding, type SharedSessions } from "./session-sharing.ts";
export type { DropReason, SiblingObserver, SiblingStatus, SiblingsOptions } from "./siblings.ts";
