import { describe, expect, it } from "vitest";
import { jsonAnswer, type Operation, openApiDocument } from "../../../src/http/index.ts";

const info = { title: "t", version: "1", description: "d", tags: [{ name: "things", description: "all of them" }] };
const handle = () => jsonAnswer(200, "1");

describe("openApiDocument", () => {
  it("describes each operation under its path and method, with the envelope for what it refuses", () => {
    const operations: readonly Operation[] = [
      {
        method: "POST",
        path: "/things/{id}",
        id: "make",
        tag: "things",
        summary: "makes one",
        access: "token",
        parameters: [{ name: "id", in: "path", description: "its id", schema: { type: "string" } }],
        body: { type: "object" },
        answers: { 201: { description: "made", schema: { type: "string" } }, 409: { description: "there already" } },
        handle,
      },
      {
        method: "GET",
        path: "/things/{id}",
        id: "show",
        tag: "things",
        summary: "shows it",
        access: "open",
        answers: {},
        handle,
      },
    ];
    const error = { "application/json": { schema: { $ref: "#/components/schemas/Error" } } };
    expect(openApiDocument(info, operations)).toMatchObject({
      openapi: "3.1.0",
      info: { title: "t", version: "1", description: "d" },
      tags: info.tags,
      paths: {
        "/things/{id}": {
          post: {
            operationId: "make",
            security: [{ token: [] }, {}],
            parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" } }],
            requestBody: { required: true, content: { "application/json": { schema: { type: "object" } } } },
            responses: {
              201: { description: "made", content: { "application/json": { schema: { type: "string" } } } },
              409: { description: "there already", content: error },
              default: { content: error },
            },
          },
          get: { operationId: "show", security: [{}] },
        },
      },
      components: { schemas: { Error: { required: ["error", "code"] } } },
    });
  });
});
