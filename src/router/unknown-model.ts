import { RoutingError } from "../errors/index.ts";

/** Longest part of a model's name in a message, in UTF-16 units. */
const maxNameLength = 128;

/** Most served models that a message names. */
const maxNamed = 5;

/** What a client is told that asked for a model that is not served. @param served names of the models that are */
export function notServedText(name: string, served: readonly string[]): string {
  const named = served.slice(0, maxNamed).map(quoted).join(", ");
  const rest = served.length > maxNamed ? ` and ${served.length - maxNamed} more` : "";
  const others = served.length === 0 ? "" : `; served here: ${named}${rest}`;
  return `the model ${quoted(name)} is not served here${others}`;
}

/** The error of a request for a model that is not served. */
export function unknownModel(name: string, served: readonly { readonly name: string }[]): RoutingError {
  const text = notServedText(
    name,
    served.map((model) => model.name),
  );
  return new RoutingError(text, { code: "unknown_model", field: "model" });
}

/** A name is a client's text: it is cut, and what is not seen of it (control and format characters) becomes `?`. */
function quoted(name: string): string {
  const cut = name.slice(0, maxNameLength).replaceAll(/\p{C}|\p{Zl}|\p{Zp}/gu, "?");
  return `"${cut}${name.length > maxNameLength ? "…" : ""}"`;
}
