import { HttpListener, type HttpMethod, jsonAnswer, type Operation } from "../../../../src/http/index.ts";
import { plainOptions } from "../../../unit/http/support.ts";

/** What an operation was asked, as it answers. */
export interface Echo {
  readonly id: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: readonly (readonly [name: string, value: string])[];
  /** Hexadecimal. */
  readonly body: string;
}

/** Longest body that is taken, bytes. */
export const maxBodyBytes = 16_384;

const paths = {
  route: ["POST", "/route"],
  renew: ["POST", "/reservations/{reservation_id}/renew"],
  release: ["DELETE", "/reservations/{reservation_id}"],
  list: ["GET", "/decisions"],
} as const satisfies Record<string, readonly [HttpMethod, string]>;

/** A listener as the route API has it, whose operations answer what they were asked. */
export function startEchoApi(errors: object[]): Promise<HttpListener> {
  const operations = Object.entries(paths).map(
    ([id, [method, path]]): Operation => ({
      id,
      method,
      path,
      tag: "route",
      summary: id,
      access: "token",
      answers: {},
      ...(id === "route" ? { body: {} } : {}),
      handle: ({ params, query, body }) => {
        const echo: Echo = { id, params: { ...params }, query: [...query], body: body.toString("hex") };
        return jsonAnswer(200, JSON.stringify(echo));
      },
    }),
  );
  const { limits } = plainOptions;
  return HttpListener.start(
    operations,
    { ...plainOptions, limits: { ...limits, maxBodyBytes } },
    {
      log: { info: () => undefined, error: (fields) => errors.push(fields) },
      observer: { answered: () => undefined },
      now: () => performance.now(),
    },
  );
}
