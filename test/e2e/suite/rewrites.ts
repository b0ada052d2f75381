import { describe, expect, it } from "vitest";
import { ask } from "../support/client.ts";
import { engineModel, injectedModel } from "../support/picker-settings.ts";
import { opening } from "../support/prompts.ts";
import { recordOf } from "../support/worker-records.ts";
import type { GatewayOf } from "./describe-on.ts";

/** Settings under which requests for two more names go on as the models. */
export const rewriteSettings = {
  modelRewrites: [
    { models: ["renamed"], targets: [{ model: injectedModel }] },
    { models: ["renamed-engine"], targets: [{ model: engineModel }] },
  ],
};

/** Names of the model in an answer, whole or as a stream. */
function namesIn(body: string): readonly string[] {
  const texts = body.startsWith("{")
    ? [body]
    : body.split("\n").flatMap((line) => /^data: (\{.*)$/.exec(line)?.[1] ?? []);
  return texts.flatMap((text) => (JSON.parse(text) as { model?: string }).model ?? []);
}

/** Requests go on under another name of their model; with {@link rewriteSettings}. */
export function testsOfRewrites(gateway: GatewayOf): void {
  describe("models under other names", () => {
    it.each([
      { model: "renamed", target: injectedModel, tokens: "token_data" },
      { model: "renamed-engine", target: engineModel, tokens: undefined },
    ])("reach the worker as $target, and the client as $model", async ({ model, target, tokens }) => {
      for (const [i, stream] of [false, true, false].entries()) {
        const { status, body, requestId } = await ask(gateway(), opening(7_000 + i, 40), {
          model,
          stream,
          outputTokens: 3,
        });
        expect(status).toBe(200);
        const { record } = recordOf(gateway(), requestId);
        const sent = Buffer.from(record.bodyHeadBase64 ?? "", "base64").toString();
        expect(sent).toContain(`"model":"${target}"`);
        expect(sent).not.toContain(`"${model}"`);
        if (tokens !== undefined) expect(record.tokenSource).toBe(tokens);
        const names = namesIn(body);
        expect(names.length).toBeGreaterThan(stream ? 1 : 0);
        expect(new Set(names)).toEqual(new Set([model]));
      }
    });
  });
}
