import type { ServerResponse } from "node:http";
import { connect } from "node:net";
import { gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { jevBody, openAiBody } from "../../support/decisions/bodies.ts";
import { DecisionBench } from "../../support/decisions/decision-bench.ts";
import { errorRow, shown } from "../../support/decisions/error-rows.ts";
import { score } from "../../support/decisions/scorer.ts";
import type { SeenRequest } from "../../support/proxy/fake-worker.ts";

let bench: DecisionBench;

beforeAll(async () => {
  bench = await DecisionBench.start({ api: "deadlineMs: 3000", settings: "proxy: { maxRequests: 2000 }" });
}, 60_000);

afterEach(async () => {
  await vi.waitFor(async () => {
    expect(bench.proxy.booked).toEqual({ requests: 0, decodeBlocks: 0, prefillTokens: 0 });
    expect(await bench.proxy.metric("pointsman_decisions_branches")).toBe(0);
  });
  bench.scorer.worker.behave = score;
  bench.scorer.worker.seen.length = 0;
});

afterAll(() => bench?.close());

const one = { ...jevBody, questions: { q: jevBody.questions.urgent } };

it.each([
  { name: "does not begin its answer", begins: false },
  { name: "does not go on with its answer", begins: true },
])("a worker that $name in time is told to stop", async ({ begins }) => {
  const impatient = await DecisionBench.start({ settings: "proxy: { headTimeoutMs: 300, stallTimeoutMs: 300 }" });
  try {
    impatient.scorer.worker.behave = (response, request) => {
      if (request.target !== "/generate") response.end("{}");
      else if (begins) response.writeHead(200).write(":");
    };
    expect(shown(await impatient.decisions(openAiBody))).toEqual(errorRow("worker connection").openai);
    const [asked] = impatient.scorer.calls;
    await vi.waitFor(() => expect(impatient.scorer.stopped).toEqual([asked?.rid]));
  } finally {
    await impatient.close();
  }
});

describe("clients that are too many or leave early", () => {
  it("of a thousand at one time those that have no room are told, and all room is there again", async () => {
    const answers = await Promise.all(Array.from({ length: 1_000 }, () => bench.systemone(one)));
    const statuses = new Set(answers.map(({ status }) => status));
    for (const status of statuses) expect([200, 429]).toContain(status);
    for (const { headers, status } of answers) expect(headers["retry-after"]).toBe(status === 429 ? "1" : undefined);
    expect((await bench.systemone(jevBody)).status).toBe(200);
  });

  it("that break off their bodies leave nothing behind", async () => {
    const { hostname, port } = new URL(bench.proxy.url);
    const head = `POST /v1/decisions HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 4000000\r\n\r\n{"model":"`;
    for (let at = 0; at < 50; at++) {
      const socket = connect(Number(port), hostname, () => socket.write(head, () => socket.destroy()));
      socket.on("error", () => undefined);
    }
    const answered = 'pointsman_decisions_answers_total{route="decisions",status="499",error="cancelled"}';
    await vi.waitFor(async () => expect(await bench.proxy.metric(answered)).toBe(50));
    expect((await bench.decisions(openAiBody)).status).toBe(200);
  });

  it("share one id, and get their own answers", async () => {
    const same = ["x-request-id", "same"];
    const answers = await Promise.all(Array.from({ length: 20 }, () => bench.systemone(jevBody, same)));
    for (const { status, headers } of answers) expect([status, headers["x-request-id"]]).toEqual([200, "same"]);
  });

  it("ask all that the contract has words for: it is too much, and said so before any of it is done", async () => {
    const choices = Array.from({ length: 255 }, (_, at) => ({ value: `v${at}` }));
    const question = { type: "choice", instructions: "Which?", choices };
    const answer = await bench.decisions({ ...openAiBody, questions: Array.from({ length: 128 }, () => question) });
    expect([answer.status, bench.seen]).toEqual([400, 0]);
  });
});

describe("a worker that answers otherwise", () => {
  const head = { "content-type": "text/event-stream" };
  const halfFrame = 'data: {"meta_info": {"finish';

  it.each<{ name: string; behave: (response: ServerResponse, request: SeenRequest) => void }>([
    { name: "half a frame", behave: (response) => response.writeHead(200, head).end(halfFrame) },
    {
      name: "compressed, though nobody asked for it",
      behave: (response) =>
        response.writeHead(200, { ...head, "content-encoding": "gzip" }).end(gzipSync("data: {}\n\n")),
    },
    { name: "nothing", behave: (response) => response.writeHead(200, head).end() },
    {
      name: "a hundred megabytes",
      behave: (response) => {
        const piece = Buffer.alloc(65_536, "x");
        response.writeHead(200, head);
        const more = (left: number): void => {
          if (left === 0) response.end();
          else if (!response.destroyed) response.write(piece, () => more(left - 1));
        };
        more(1_600);
      },
    },
    {
      name: "a hundred thousand frames",
      behave: (response) => response.writeHead(200, head).end('data: {"meta_info":{}}\n\n'.repeat(100_000)),
    },
    {
      name: "a frame of very many values",
      behave: (response) =>
        response.writeHead(200, head).end(`data: {"meta_info":{"x":[${"1,".repeat(60_000)}1]}}\n\n`),
    },
  ])("has failed the decision: $name", async ({ behave }) => {
    bench.scorer.worker.behave = behave;
    expect(shown(await bench.decisions(openAiBody))).toEqual(errorRow("malformed/aborted").openai);
  });

  it.each([
    { name: "half a frame and no more", first: halfFrame, drip: "" },
    { name: "a byte now and then", first: "", drip: ":" },
  ])("is given up at the deadline: $name", async ({ first, drip }) => {
    bench.scorer.worker.behave = (response, request) => {
      if (request.target !== "/generate") {
        response.end("{}");
        return;
      }
      response.writeHead(200, head);
      response.write(first === "" ? ":" : first);
      const timer = setInterval(() => drip !== "" && response.write(drip), 50);
      response.on("close", () => clearInterval(timer));
    };
    expect(shown(await bench.decisions(openAiBody))).toEqual(errorRow("deadline").openai);
    await vi.waitFor(() => expect(bench.scorer.stopped).toHaveLength(1));
  });
});
