import OpenAI from "openai";
import { expect, it } from "vitest";
import { simLogprobs } from "../../../src/sim-worker/index.ts";
import { jevBody, openAiBody } from "../../support/decisions/bodies.ts";
import { errorRow, shown } from "../../support/decisions/error-rows.ts";
import { call } from "../../support/proxy/raw-client.ts";
import { describeOn } from "../suite/describe-on.ts";
import { envoyBinary } from "../support/envoy-binary.ts";
import { freePorts } from "../support/free-ports.ts";
import { injectedModel } from "../support/picker-settings.ts";

const [proxyPort = 0] = await freePorts(1);
const service = `127.0.0.1:${proxyPort}`;
const scores = { scoring: {} };

/** One process picks for Envoy, and makes decisions where its own proxy listens. */
describeOn(
  "typed decisions through Envoy, made by a service",
  {
    kind: { bodies: "full-duplex", hosts: "original-dst" },
    launcher: envoyBinary,
    workers: 2,
    workerSettings: { "worker-0": scores, "worker-1": scores },
    picker: {
      mixedModes: ["proxy"],
      proxy: { listen: service },
      decisionsApi: { enabled: true, serviceEndpoint: service, modelAliases: { "jev-latest": injectedModel } },
    },
  },
  (gateway) => {
    const scored = () =>
      gateway().workers.flatMap((worker) => worker.requests().filter(({ target }) => target === "/generate"));

    it("are answered by OpenAI's client's contract, all questions by one worker", async () => {
      const client = new OpenAI({ apiKey: "any", baseURL: `${gateway().url}/v1`, maxRetries: 0 });
      const decision = await client.decisions.create({ ...structuredClone(openAiBody), model: injectedModel } as never);
      expect(decision.answers.map(({ type }) => type)).toEqual(["choice", "predicate", "score"]);
      const [first, second] = simLogprobs([9693, 2152]).map(Math.exp) as [number, number];
      const [, urgent] = decision.answers;
      expect(urgent?.type === "predicate" && urgent.probability).toBeCloseTo(first / (first + second), 9);
      const asked = gateway().workers.map((worker) => worker.requests().filter(({ target }) => target === "/generate"));
      expect(asked.map(({ length }) => length).toSorted()).toEqual([0, 3]);
    });

    it("are answered by Jev's contract, with its ids", async () => {
      const body = { ...jevBody, model: "jev-latest" };
      const answer = await call(gateway().url, { path: "/v1/systemone", body, headers: ["x-request-id", "mine"] });
      expect([answer.status, answer.headers["x-typesafe-request-id"]]).toEqual([200, "mine"]);
      expect(JSON.parse(answer.body.toString())).toMatchObject({ model: injectedModel, usage: { output_tokens: 0 } });
    });

    it("are refused in the contract's words, and no worker is asked", async () => {
      const before = scored().length;
      const { openai, systemone } = errorRow("nvext present");
      const bodies = [
        { path: "/v1/decisions", body: { ...openAiBody, nvext: {} } },
        { path: "/v1/systemone", body: { ...jevBody, nvext: {} } },
      ];
      const answers = await Promise.all(bodies.map((request) => call(gateway().url, request)));
      expect(answers.map(shown)).toEqual([openai, systemone]);
      expect(scored()).toHaveLength(before);
    });
  },
);

/** The workers would answer the paths themselves; simulated ones have them not. */
describeOn(
  "typed decisions through Envoy, answered by workers",
  {
    kind: { bodies: "full-duplex", hosts: "original-dst" },
    launcher: envoyBinary,
    workers: 2,
    workerSettings: { "worker-1": scores },
    picker: { decisionsApi: { enabled: true } },
  },
  (gateway) => {
    it("go to a worker that scores, as they came", async () => {
      const body = JSON.stringify({ ...openAiBody, model: injectedModel });
      for (let turn = 0; turn < 4; turn++) await call(gateway().url, { path: "/v1/decisions", body });
      const [other, scoring] = gateway().workers.map((worker) => worker.requests());
      expect(other).toEqual([]);
      expect(scoring).toHaveLength(4);
      for (const record of scoring ?? []) {
        expect(record.target).toBe("/v1/decisions");
        expect(Buffer.from(record.bodyHeadBase64, "base64").toString()).toBe(body);
      }
    });

    it("are refused by the picker in the contract's words", async () => {
      const answer = await call(gateway().url, { path: "/v1/systemone", body: { ...jevBody, model: "nobody" } });
      expect(shown(answer)).toEqual(errorRow("unknown model").systemone);
      expect(answer.headers["x-typesafe-request-id"]).toMatch(/./);
    });
  },
);
