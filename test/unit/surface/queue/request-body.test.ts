import { describe, expect, it } from "vitest";
import { BodyReader } from "../../../../src/surface/queue/request-body.ts";

const reader = new BodyReader(1_048_576);
const read = (text: string | Buffer) => reader.read(Buffer.from(text));

describe("a body", () => {
  it.each([
    ['{"model":"m","stream":true}', "m", true],
    ['{"stream":true,"stream":false}', undefined, false],
    ['{"\\u0073tream":true}', undefined, true],
    ['{"a":{"stream":true},"model":7}', undefined, false],
    ['{"model":"\\u00e9"}', "é", false],
  ])("%s", async (text, model, isStream) => {
    expect(await read(text)).toMatchObject({ model, isStream });
  });

  it.each([
    [
      '{"a":1,"stream":true,"stream_options":{"include_usage":true},"b":9007199254740993}',
      '{"a":1,"b":9007199254740993}',
    ],
    ['{"stream":true}', "{}"],
    ['{ "x": 1.0 , "stream" : true }', '{ "x": 1.0 }'],
  ])("%s without its stream is %s, byte for byte", async (text, rest) => {
    const { withoutStream } = await read(text);
    expect(withoutStream().toString().replaceAll(/\s/g, "")).toBe(rest.replaceAll(/\s/g, ""));
    expect(JSON.parse(withoutStream().toString())).toEqual(JSON.parse(rest));
  });

  it("is the same bytes where nothing asks for a stream", async () => {
    const body = Buffer.from('{"model":"m"}');
    expect((await reader.read(body)).withoutStream()).toBe(body);
  });

  it.each(["", "null", "[]", '"x"', "{", "{}x", '{"a":01}', '{"a":-1e999}', `{"a":${"9".repeat(400)}}`])(
    "%s is refused: a processor would destroy it",
    async (text) => {
      await expect(read(text)).rejects.toThrow();
    },
  );

  it("may hold texts that only look like huge numbers", async () => {
    expect(await read('{"model":"1e999"}')).toMatchObject({ model: "1e999" });
  });
});
