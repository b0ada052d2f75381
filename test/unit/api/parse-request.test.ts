import { Buffer } from "node:buffer";
import { describe, expect, it } from "vitest";
import { parseRequest } from "../../../src/api/index.ts";
import { RoutingError } from "../../../src/errors/index.ts";
import { dynamoOptions, engineOptions, parseBody, parseText, refusalOf, vllm } from "./fixtures.ts";

const chatBody = { model: "m", messages: [{ role: "user", content: "hi" }] };
const chatPath = "/v1/chat/completions";

describe("a known path", () => {
  it.each([
    [chatPath, chatBody, "chat"],
    ["/v1/completions?x=1", { model: "m", prompt: "hi" }, "completions"],
    ["/v1/responses", { model: "m", input: "hi" }, "responses"],
  ])("%s gets one typed parse", (path, body, api) => {
    expect(parseBody(path, body)).toMatchObject({ api, model: "m" });
  });

  it.each([
    [chatPath, { model: "m", prompt: "hi" }, "messages"],
    [chatPath, { model: "m", input: "hi" }, "messages"],
    ["/v1/completions", chatBody, "prompt"],
    ["/v1/responses", chatBody, "input"],
  ])("%s refuses another API's body, naming the field", (path, body, field) => {
    expect(refusalOf(() => parseBody(path, body))).toMatchObject({ status: 400, field });
  });

  it.each([
    ["", "the request has no body"],
    ["{", "the body is not JSON: a quoted key expected at byte 1"],
    ["[]", "the body must be a JSON object"],
    ["null", "the body must be a JSON object"],
    ['"x"', "the body must be a JSON object"],
  ])("refuses the body %j", (text, message) => {
    expect(refusalOf(() => parseText(chatPath, text))).toEqual({ status: 400, field: undefined, message });
  });

  it("refuses invalid UTF-8", () => {
    const body = Buffer.concat([Buffer.from('{"model":"'), Buffer.from([0xff]), Buffer.from('"}')]);
    expect(refusalOf(() => parseRequest(chatPath, body, dynamoOptions)).message).toBe(
      "the body is not JSON: invalid UTF-8 at byte 10",
    );
  });

  it("says the field and nothing of the content", () => {
    const body = { model: "m", messages: [{ role: "user", content: [{ type: "text", text: { secret: "s3cret" } }] }] };
    const refusal = refusalOf(() => parseBody(chatPath, body));
    expect(refusal).toEqual({
      status: 400,
      field: "messages[0].content[0].text",
      message: "`messages[0].content[0].text` must be a string",
    });
  });

  it("cuts a long key of the client's", () => {
    const { message } = refusalOf(() => parseBody(chatPath, { ...chatBody, ["k".repeat(5_000)]: 1 }));
    expect(message.length).toBeLessThan(120);
  });
});

describe("an unknown or absent path", () => {
  it.each([
    ["messages", chatBody, "chat"],
    ["a prompt", { model: "m", prompt: "x" }, "completions"],
    ["a prompt and no messages in the list (refused as completion)", { model: "m", prompt: "x", messages: [] }, 400],
    ["messages and a prompt (refused as chat)", { ...chatBody, prompt: "x" }, 400],
    ["a null prompt", { model: "m", prompt: null }, 400],
    ["an empty list of messages", { model: "m", messages: [] }, 400],
    ["messages of the wrong type", { model: "m", messages: "x" }, 400],
    ["neither", { model: "m", input: "x" }, "promptless"],
  ])("reads the body by its shape: %s", (_, body, expected) => {
    for (const path of [undefined, "/v2/whatever"]) {
      const outcome = typeof expected === "number" ? refusalOf(() => parseBody(path, body)) : parseBody(path, body);
      expect(outcome).toMatchObject(typeof expected === "number" ? { status: expected } : { api: expected });
    }
  });

  it("takes an empty list of messages beside a prompt for a completion", () => {
    const body = { model: "m", prompt: "x", messages: [] };
    expect(parseBody("/x", body, engineOptions(vllm)).api).toBe("completions");
    expect(refusalOf(() => parseBody("/x", body)).field).toBe("messages");
  });

  it("refuses unknown shapes when told to, as Dynamo's picker does", () => {
    const parse = (): unknown => parseBody("/x", { model: "m", input: "x" }, { refuseUnknownShapes: true });
    expect(refusalOf(parse)).toMatchObject({ status: 400, field: "messages" });
  });

  it("refuses what is not JSON", () => {
    expect(refusalOf(() => parseText("/x", "nope"))).toMatchObject({ status: 400 });
    expect(refusalOf(() => parseText("/x", "[1]"))).toMatchObject({ status: 400 });
  });

  it("routes a request without body by load", () => {
    expect(parseText("/x", "")).toEqual({
      api: "promptless",
      model: undefined,
      reason: "the request has no body",
      clientPins: [],
    });
  });
});

describe("a path without a prompt", () => {
  it("is routed by load, with the model and pins that its body shows", () => {
    const body = { model: "e", input: ["x"], nvext: { backend_instance_id: 7 } };
    expect(parseBody("/v1/embeddings", body)).toMatchObject({
      api: "promptless",
      model: "e",
      clientPins: ["nvext.backend_instance_id"],
    });
  });

  it.each(["", "not json", "[1,2]", '{"model":3}', "\u0000"])("does not mind the body %j", (text) => {
    expect(parseText("/v1/audio/speech", text)).toMatchObject({ api: "promptless", model: undefined, clientPins: [] });
  });
});

describe("the text of a body, as the frontend takes it", () => {
  const body = (content: string): string => `{"model":"m","messages":[{"role":"user","content":"${content}"}]}`;

  it("takes raw control characters in strings for themselves", () => {
    const parsed = parseText(chatPath, body("a\nb"));
    expect(parsed.api === "chat" && parsed.chat.messages[0]?.get("content")).toBe("a\nb");
    expect(refusalOf(() => parseText(chatPath, body("a\nb"), { dialect: "engine" }))).toMatchObject({ status: 400 });
  });

  it.each([
    ["lone surrogates", body("\\ud800")],
    ["numbers beyond a double", '{"model":"m","messages":[],"seed":1e400}'],
    [
      "nesting of 128 levels",
      `{"model":"m","messages":[{"role":"user","content":"x"}],"metadata":${"[".repeat(127)}${"]".repeat(127)}}`,
    ],
    ["a byte order mark", `\uFEFF${body("x")}`],
  ])("refuses %s", (_, text) => {
    expect(refusalOf(() => parseText(chatPath, text))).toMatchObject({ status: 400 });
  });

  it("takes nesting of 127 levels, unless the limit is lower", () => {
    const text = `{"model":"m","messages":[{"role":"user","content":"x"}],"metadata":${"[".repeat(126)}${"]".repeat(126)}}`;
    expect(parseText(chatPath, text).api).toBe("chat");
    expect(refusalOf(() => parseText(chatPath, text, { maxDepth: 100 }))).toMatchObject({ status: 400 });
  });

  it.each([
    ["a root field", '{"model":"m","messages":[],"model":"m"}', "model"],
    ["nvext", `{"nvext":{},"nvext":{},${body("x").slice(1)}`, "nvext"],
    [
      "a member of a message",
      '{"model":"m","messages":[{"role":"user","content":"a","content":"b"}]}',
      "messages[0].content",
    ],
    [
      "an alias beside its name",
      `{"chat_template_args":{},"chat_template_kwargs":{},${body("x").slice(1)}`,
      "chat_template_args",
    ],
    [
      "a member that belongs to another role",
      '{"model":"m","messages":[{"role":"user","content":"a","partial":null,"partial":null}]}',
      "messages[0].partial",
    ],
    [
      "tools of a message of an assistant",
      '{"model":"m","messages":[{"role":"assistant","content":"a","tools":null,"tools":null}]}',
      "messages[0].tools",
    ],
  ])("refuses %s given twice", (_, text, field) => {
    expect(refusalOf(() => parseText(chatPath, text))).toMatchObject({ status: 400, field });
  });

  it("keeps repeated keys of free-form values, the last one standing", () => {
    const text = `{"chat_template_args":{"a":1,"a":2},"cache_salt":"x","cache_salt":"y",${body("x").slice(1)}`;
    const parsed = parseText(chatPath, text);
    expect(parsed).toMatchObject({ api: "chat", extensions: { cacheSalt: "y" } });
  });
});

describe("a model that is not served", () => {
  const unserved = {
    checkModel: () => {
      throw new RoutingError("not served", { code: "unknown_model", field: "model" });
    },
  };
  const messages = chatBody.messages;
  const image = { role: "user", content: [{ type: "image_url", image_url: null }] };
  const tools = [{ type: "function", function: { name: "f", parameters: { $defs: [] } } }];

  // The order of the Dynamo 1.6.1 frontend's checks.
  it.each([
    { path: chatPath, body: { messages: [] }, status: 400 },
    { path: chatPath, body: { messages, temperature: 3 }, status: 400 },
    { path: chatPath, body: { messages: [image] }, status: 404 },
    { path: chatPath, body: { messages, tools, tool_choice: "required" }, status: 404 },
    { path: "/v1/completions", body: { prompt: "" }, status: 400 },
    { path: "/v1/responses", body: { input: [] }, status: 400 },
    { path: "/v1/messages", body: { messages: [], max_tokens: 5 }, status: 400 },
    { path: "/v1/messages", body: { messages, max_tokens: 0 }, status: 400 },
    { path: "/v1/messages", body: { messages, max_tokens: 1_048_577 }, status: 404 },
    { path: "/v1/messages", body: { messages, max_tokens: 5, temperature: 3 }, status: 404 },
    { path: "/v1/messages", body: { messages, max_tokens: 5, nvext: { zz: 1 } }, status: 404 },
    { path: chatPath, body: { messages, nvext: { zz: 1 } }, status: 400 },
  ])("is told of after what the frontend checks first: $path $body", ({ path, body, status }) => {
    expect(refusalOf(() => parseBody(path, { model: "m", ...body }, unserved)).status).toBe(status);
  });
});

it("survives any nesting, whatever the limit", () => {
  const text = '{"model":"m","prompt":"x","zz":'.concat("[".repeat(2_000_000));
  expect(refusalOf(() => parseText("/v1/completions", text, { dialect: "engine", maxDepth: 10_000 }))).toMatchObject({
    status: 400,
  });
});

describe("the dialect of a model", () => {
  it("decides by the body's model name, else by default", () => {
    const dialectOf = (model: string) => (model === "vllm-model" ? ("engine" as const) : undefined);
    const engineOf = () => vllm;
    const body = { messages: chatBody.messages, unknown_field: 1 };
    expect(parseBody(chatPath, { ...body, model: "vllm-model" }, { dialectOf, engineOf })).toMatchObject({
      api: "chat",
    });
    expect(refusalOf(() => parseBody(chatPath, { ...body, model: "m" }, { dialectOf }))).toMatchObject({
      status: 400,
      field: "unknown_field",
    });
  });
});
