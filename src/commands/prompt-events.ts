import type { Logger, Metrics } from "../telemetry/index.ts";
import type { PromptServiceParts } from "./prompt-service.ts";

/** Outcomes are counted; what should not happen is logged as well. */
export function promptEvents(
  { prompts }: Metrics,
  log: Logger,
): Pick<PromptServiceParts, "threads" | "shadow" | "staleModel"> {
  return {
    staleModel: (model) => log.warn({ model }, "the hub cannot be reached: the model is taken as it last was"),
    threads: {
      prepared: () => prompts.prepared(),
      failed: (failure) => prompts.failed(failure),
      faulty: (fault) => log.error({ fault }, "a request could not be prepared"),
      ended: (cause) => {
        prompts.threadEnded();
        const fields = cause instanceof Error ? { err: cause } : { code: cause };
        log.error(fields, "a prompt thread ended, and is started again");
      },
    },
    shadow: {
      same: (model) => prompts.checked(model, "same"),
      skipped: (model) => prompts.checked(model, "skipped"),
      different: (model, bodyHash) => {
        prompts.checked(model, "different");
        log.error(
          { model, bodyHash },
          "token ids differ from the official engine's, which tokenizes the model from now on",
        );
      },
    },
  };
}
