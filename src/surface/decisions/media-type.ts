/** Whether a content type is JSON, whatever its parameters; one that is missing is not. */
export function isJsonMediaType(contentType: string | undefined): boolean {
  return contentType !== undefined && contentType.split(";", 1)[0]?.trim().toLowerCase() === "application/json";
}
