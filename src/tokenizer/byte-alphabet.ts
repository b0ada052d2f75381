/**
 * The character that stands for each byte in a byte-level vocabulary (GPT-2's `bytes_to_unicode`): printable Latin-1 stands for itself,
 * the 68 others for U+0100 and up.
 */
export const characterOfByte: readonly string[] = alphabet();

const byteOfCharacter = new Map(characterOfByte.map((character, byte) => [character, byte]));

/** Bytes of a token of a byte-level vocabulary, or undefined when a character of it stands for no byte. */
export function bytesOfToken(token: string): readonly number[] | undefined {
  const bytes: number[] = [];
  for (const character of token) {
    const byte = byteOfCharacter.get(character);
    if (byte === undefined) return undefined;
    bytes.push(byte);
  }
  return bytes;
}

function alphabet(): readonly string[] {
  let others = 0;
  return Array.from({ length: 256 }, (_, byte) => {
    const isPrintable = (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte !== 0xad);
    return String.fromCharCode(isPrintable ? byte : 0x100 + others++);
  });
}
