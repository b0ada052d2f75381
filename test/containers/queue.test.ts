import { GenericContainer, type StartedTestContainer, Wait } from "testcontainers";
import { afterEach, describe, expect, it } from "vitest";
import { RecordedClient } from "../e2e/queue/support/recorded-client.ts";
import { FakeWorker } from "../support/proxy/fake-worker.ts";
import { processorVersions, QueueProcessor } from "../support/queue-processor/index.ts";

const images = ["redis:8.2.3", "valkey/valkey:9.1.2"];

describe.each(images.flatMap((image) => processorVersions.map((version) => ({ image, version }))))(
  "a queue on $image in a container, a processor $version",
  ({ image, version }) => {
    let container: StartedTestContainer | undefined;
    afterEach(async () => {
      await container?.stop();
    });

    it("brings a thousand results back to those who asked", async () => {
      container = await new GenericContainer(image)
        .withExposedPorts(6379)
        .withWaitStrategy(Wait.forLogMessage(/Ready to accept connections/))
        .withStartupTimeout(120_000)
        .start();
      const url = `redis://127.0.0.1:${container.getMappedPort(6379)}`;
      const gateway = await FakeWorker.start((response, { body }) => void response.end(body));
      const queues = [{ queue_name: "request-sortedset", igw_base_url: `http://${gateway.endpoint}` }];
      const processor = new QueueProcessor({
        version,
        transport: { url, poll_interval_ms: 5, batch_size: 500, queues },
      });
      const client = await RecordedClient.start(url, { wire: version });
      const payloads = Array.from({ length: 1_000 }, (_, n) => `{"n":${n}}`);
      const outcomes = await Promise.all(payloads.map((payload) => client.ask({ payload: Buffer.from(payload) })));
      expect(outcomes).toEqual(payloads.map((payload) => `200 ${payload}`));
      await client.client.close();
      await processor.drain();
      await gateway.close();
    });
  },
);
