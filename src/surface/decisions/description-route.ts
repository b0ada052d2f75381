import type { HttpError } from "../../http/index.ts";
import type { RouteExchange } from "./decision-route.ts";
import { decisionsDocument } from "./open-api/document.ts";
import { type CallHeaders, requestIdOf } from "./request-id.ts";

/** What `GET /openapi.json` answers with. */
export class DescriptionRoute {
  readonly method = "GET";
  readonly path = "/openapi.json";
  readonly #text: string;

  /** @param systemonePath where the second route is served */
  constructor(version: string, systemonePath: string) {
    this.#text = JSON.stringify(decisionsDocument(version, systemonePath));
  }

  requestIdOf(headers: CallHeaders): string {
    return requestIdOf(headers);
  }

  linesOf(): readonly string[] {
    return [];
  }

  errorJson({ message, code }: HttpError): string {
    return JSON.stringify({ error: { message, code } });
  }

  receive({ answer }: Pick<RouteExchange, "answer">): void {
    answer(200, [], this.#text);
  }
}
