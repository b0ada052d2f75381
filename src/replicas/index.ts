export { type ReplicaEnvironment, systemEnvironment } from "./environment.ts";
export type { LoadPublisherOptions, MessageSink, ReplicaIdentity } from "./load-publisher.ts";
export type { RedisLinkObserver, RedisLinkOptions, RedisSecrets, RedisTls } from "./redis-link.ts";
export { RedisLink } from "./redis-link.ts";
export type { ReplicaLoadState } from "./replica-loads.ts";
export { ReplicaLoads } from "./replica-loads.ts";
export type { DropReason, SiblingObserver, SiblingStatus, SiblingsOptions } from "./siblings.ts";
