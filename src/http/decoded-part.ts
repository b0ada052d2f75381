/** A part of a path as it was meant; as it came, where its escapes are none. */
export function decodedPart(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
