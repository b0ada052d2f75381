/** Length in code points, as Python counts. */
export function lengthOf(text: string): number {
  let length = text.length;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit >= 0xdc00 && unit <= 0xdfff) length--;
  }
  return length;
}

/** A place in UTF-16 units as one in code points; -1 stays. */
export function codePoints(text: string, at: number): number {
  return at === -1 ? -1 : lengthOf(text.slice(0, at));
}

/** The unit at which the `place`th code point begins; the text's length beyond its end. */
export function unitAt(text: string, place: number): number {
  if (!/[\ud800-\udfff]/.test(text)) return Math.min(place, text.length);
  let unit = 0;
  for (let left = place; left > 0 && unit < text.length; left--) unit += (text.codePointAt(unit) ?? 0) > 0xffff ? 2 : 1;
  return unit;
}
