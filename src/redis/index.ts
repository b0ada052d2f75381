export { dialRedis, endOfClient, type RedisPlace, type RedisSecrets, type RedisTls } from "./dial.ts";
export {
  type ConnectionMaker,
  KeptConnection,
  type KeptConnectionObserver,
  type RetryPace,
} from "./kept-connection.ts";
export { unlessAborted } from "./unless-aborted.ts";
