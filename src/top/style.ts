/** How text looks: a sum of these. Colours are left out where they are not wanted; nothing may be told by colour alone. */
export const bold = 1;
export const dim = 2;
export const reverse = 4;
export const red = 8;
export const green = 16;
export const yellow = 24;
export const cyan = 32;
export const plain = 0;

const colourBits = 56;
/** By colour / 8: none, red, green, yellow, cyan. */
const colourCodes = ["", ";31", ";32", ";33", ";36"];

/** The sequence after which text looks so, whatever it looked like before. */
export function styleSequence(style: number, hasColours: boolean): string {
  const attributes = `${style & bold ? ";1" : ""}${style & dim ? ";2" : ""}${style & reverse ? ";7" : ""}`;
  const colour = hasColours ? (colourCodes[(style & colourBits) >> 3] ?? "") : "";
  return `\u001b[0${attributes}${colour}m`;
}
