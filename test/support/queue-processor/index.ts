export type { PoolOptions, ProcessorOptions, ProcessorVersion, QueueOptions, TransportOptions } from "./options.ts";
export { processorVersions } from "./options.ts";
export type { Destroyed } from "./processor.ts";
export { QueueProcessor } from "./processor.ts";
export { ProcessorProcess } from "./processor-process.ts";
