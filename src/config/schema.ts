import { z } from "zod";
import { checkAcrossFields } from "./cross-field-checks.ts";
import { admin } from "./sections/admin.ts";
import { decisionsApi } from "./sections/decisions-api.ts";
import { extProc } from "./sections/ext-proc.ts";
import { hub } from "./sections/hub.ts";
import { kubernetes } from "./sections/kubernetes.ts";
import { approximateIndex, kvEvents } from "./sections/kv.ts";
import { health, log, metrics, shutdown } from "./sections/listeners.ts";
import { modelRewrites, models, unknownModel } from "./sections/models.ts";
import { proxy } from "./sections/proxy.ts";
import { queue } from "./sections/queue.ts";
import { recorder } from "./sections/recorder.ts";
import { replicas } from "./sections/replicas.ts";
import { mixedModes, mode, routeApi } from "./sections/route-api.ts";
import { admission, affinity, decisions, disaggregation, json, reservations, routing } from "./sections/routing.ts";
import { shards } from "./sections/shards.ts";
import { tokenizer } from "./sections/tokenizer.ts";
import { tracing } from "./sections/tracing.ts";
import { fleet, workers } from "./sections/workers.ts";

/** Every setting, each described where it is declared. The order is that of the reference page. */
export const settingsSchema = z.strictObject({
  mode,
  mixedModes,
  models,
  unknownModel,
  modelRewrites,
  hub,
  workers,
  kubernetes,
  extProc,
  routeApi,
  proxy,
  queue,
  decisionsApi,
  health,
  metrics,
  admin,
  tracing,
  log,
  routing,
  disaggregation,
  affinity,
  admission,
  fleet,
  kvEvents,
  approximateIndex,
  reservations,
  replicas,
  decisions,
  recorder,
  json,
  tokenizer,
  shards,
  shutdown,
});

/** The same, with the checks that need more than one setting. */
export const configSchema = settingsSchema.superRefine(checkAcrossFields);

/** All settings, checked, with their defaults filled in. */
export type Config = DeepReadonly<z.output<typeof settingsSchema>>;
/** One entry of `models`. */
export type ModelSettings = Config["models"][number];
/** One entry of `workers`. */
export type WorkerSettings = Config["workers"][number];

type DeepReadonly<T> = T extends readonly (infer U)[]
  ? readonly DeepReadonly<U>[]
  : T extends object
    ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
    : T;
