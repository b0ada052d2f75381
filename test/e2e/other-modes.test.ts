import { expect, it } from "vitest";
import { describeOn } from "./suite/describe-on.ts";
import { ask, post, read } from "./support/client.ts";
import { envoyBinary } from "./support/envoy-binary.ts";
import type { EnvoyKind } from "./support/envoy-config.ts";
import { withProcessingMode } from "./support/envoy-patches.ts";
import { idle } from "./support/picker-metrics.ts";
import { engineModel } from "./support/picker-settings.ts";
import { opening } from "./support/prompts.ts";
import { recordOf, sha256 } from "./support/worker-records.ts";

const responses = { response_header_mode: "SEND", response_body_mode: "STREAMED", response_trailer_mode: "SEND" };
const noResponses = { response_header_mode: "SKIP", response_body_mode: "NONE", response_trailer_mode: "SKIP" };
const fullDuplex = { request_body_mode: "FULL_DUPLEX_STREAMED", request_trailer_mode: "SEND" };

// Modes that we ship no file for and that a managed gateway may use all the same.
const modes: readonly { name: string; bodies: EnvoyKind["bodies"]; mode: Readonly<Record<string, string>> }[] = [
  { name: "full duplex without responses", bodies: "full-duplex", mode: { ...fullDuplex, ...noResponses } },
  { name: "full duplex with streamed responses", bodies: "full-duplex", mode: { ...fullDuplex, ...responses } },
  { name: "buffered without responses", bodies: "buffered", mode: { request_body_mode: "BUFFERED", ...noResponses } },
  { name: "streamed bodies", bodies: "buffered", mode: { request_body_mode: "STREAMED", ...responses } },
  { name: "headers only", bodies: "buffered", mode: { request_body_mode: "NONE", ...responses } },
  { name: "headers only, no responses", bodies: "buffered", mode: { request_body_mode: "NONE", ...noResponses } },
];

for (const { name, bodies, mode } of modes) {
  const patches = [withProcessingMode({ request_header_mode: "SEND", ...mode })];
  const kind: EnvoyKind = { bodies, hosts: "override-host" };
  describeOn(name, { kind, launcher: envoyBinary, workers: 2, patches }, (gateway) => {
    it("serves JSON and SSE, whole, by the picked workers, and keeps no load", async () => {
      const asks = Array.from({ length: 60 }, (_, index) => {
        const stream = index % 2 === 1;
        return ask(gateway(), opening(300 + index, 100), { model: engineModel, stream, outputTokens: 3 });
      });
      for (const answer of await Promise.all(asks)) {
        expect(answer.status).toBe(200);
        expect(read(answer).outputTokens).toBe(3);
        expect(answer.worker).toBe((await gateway().picker.pickOf(answer.requestId)).worker);
      }
      await idle(gateway());
    });

    it("passes a body of 3 MB on as it is", async () => {
      const pad = "A".repeat(3_000_000);
      const body = `{"model":"${engineModel}","max_tokens":1,"messages":[{"role":"user","content":"Hi"}],"metadata":{"p":"${pad}"}}`;
      const answer = await post(gateway(), "/v1/chat/completions", body);
      expect(answer.status).toBe(200);
      expect(recordOf(gateway(), answer.requestId).record.bodySha256).toBe(sha256(Buffer.from(body)));
      await idle(gateway());
    });
  });
}
