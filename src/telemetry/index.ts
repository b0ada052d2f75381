export type { Logger, LoggerOptions } from "./logger.ts";
export { createLogger } from "./logger.ts";
export type { MetricDescription, MetricsOptions } from "./metrics.ts";
export { Metrics } from "./metrics.ts";
export { renderMetricsPage } from "./metrics-page.ts";
export type { MetricsSource } from "./metrics-server.ts";
export { MetricsServer } from "./metrics-server.ts";
export type { PickedRequest, PickStage, RequestMetrics, ServedUsage } from "./request-metrics.ts";
export type { ForeignSample, KvEventSample, ModelSample, RankSample, SampleSource } from "./sampled-metrics.ts";
