/** Whether a text has more than `limit` Unicode scalars. O(limit) at most. @param text without lone surrogates */
export function isLongerThan(text: string, limit: number): boolean {
  if (text.length <= limit) return false;
  if (text.length > 2 * limit) return true;
  let scalars = 0;
  for (let at = 0; at < text.length; at++) {
    // The second half of a pair does not count.
    if ((text.charCodeAt(at) & 0xfc00) !== 0xdc00) scalars++;
  }
  return scalars > limit;
}
