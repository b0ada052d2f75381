import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { decisionOperation } from "../../../src/surface/decisions/open-api/operation.ts";
import { jevBody, openAiBody } from "../../support/decisions/bodies.ts";
import { DecisionBench, parsed } from "../../support/decisions/decision-bench.ts";
import { call } from "../../support/proxy/raw-client.ts";

interface Described {
  readonly requestBody: { readonly content: Json };
  readonly responses: Readonly<Record<string, { readonly content: Json }>>;
}

interface Json {
  readonly "application/json": { readonly schema: object };
}

interface Case {
  readonly name: string;
  readonly route: string;
  readonly body?: string;
  readonly ok?: object;
  readonly error?: { readonly message: string };
}

const file = new URL("../../fixtures/decisions/parse-render.json", import.meta.url);
const { cases } = JSON.parse(readFileSync(file, "utf8")) as { readonly cases: readonly Case[] };
const operationOf = (route: string) =>
  decisionOperation(route === "/v1/decisions" ? "decisions" : "systemone") as Described;
const ajv = new Ajv2020({ strict: false });
const isValid = (content: Json, value: unknown) => ajv.validate(content["application/json"].schema, value);

describe("the OpenAPI document", () => {
  it.each(cases.filter(({ ok, name }) => ok !== undefined && !name.startsWith("quirk:")))(
    "allows what is taken: $route $name",
    ({ route, body = "" }) => {
      expect(isValid(operationOf(route).requestBody.content, JSON.parse(body))).toBe(true);
    },
  );

  it.each(cases.filter(({ error }) => error?.message.startsWith("request does not match") === true))(
    "forbids what does not match: $route $name",
    ({ route, body = "" }) => {
      expect(isValid(operationOf(route).requestBody.content, JSON.parse(body))).toBe(false);
    },
  );
});

describe("a proxy with typed decisions", () => {
  let bench: DecisionBench;

  beforeAll(async () => {
    bench = await DecisionBench.start({ api: "systemonePath: /jev" });
  }, 60_000);

  afterAll(() => bench?.close());

  it("serves the document, and answers as it says", async () => {
    const answer = await call(bench.proxy.url, { method: "GET", path: "/openapi.json" });
    const { paths } = parsed(answer) as { readonly paths: Readonly<Record<string, unknown>> };
    expect(paths["/v1/decisions"]).toEqual({ post: operationOf("/v1/decisions") });
    expect(paths["/jev"]).toEqual({ post: operationOf("/v1/systemone") });
    expect(Object.keys(paths)).not.toContain("/v1/systemone");
    const answers = [
      { route: "/v1/decisions", path: "/v1/decisions", body: openAiBody, status: 200 },
      { route: "/v1/decisions", path: "/v1/decisions", body: {}, status: 400 },
      { route: "/v1/systemone", path: "/jev", body: jevBody, status: 200 },
      { route: "/v1/systemone", path: "/jev", body: { ...jevBody, model: "n" }, status: 404 },
      { route: "/v1/systemone", path: "/jev", body: {}, status: 422 },
    ];
    for (const { route, path, body, status } of answers) {
      const given = await call(bench.proxy.url, { path, body });
      const described = operationOf(route).responses[status];
      expect(given.status).toBe(status);
      if (described === undefined) throw new Error(`${status} is not described`);
      expect(isValid(described.content, parsed(given))).toBe(true);
    }
  });

  it("does not serve the path that is set otherwise", async () => {
    expect((await call(bench.proxy.url, { path: "/v1/systemone", body: jevBody })).status).toBe(404);
  });
});
