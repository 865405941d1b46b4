/**
 * The alphabet in which byte-level tokenizers write bytes (GPT-2): printable Latin-1 characters stand for
 * themselves, every other byte for the next code point from U+0100 on, in order.
 */
export const BYTE_CHARACTERS: readonly string[] = byteCharacters();

const BYTE_OF_CHARACTER: ReadonlyMap<string, number> = new Map(
  BYTE_CHARACTERS.map((char, byte) => [char, byte]),
);

/** The bytes that a byte-level token stands for, or null if it holds a character outside the alphabet. */
export function bytesOfToken(token: string): Uint8Array | null {
  const bytes = new Uint8Array(token.length);
  for (let i = 0; i < token.length; i++) {
    const byte = BYTE_OF_CHARACTER.get(token.charAt(i));
    if (byte === undefined) return null;
    bytes[i] = byte;
  }
  return bytes;
}

function byteCharacters(): string[] {
  const characters: string[] = [];
  let next = 0x100;
  for (let byte = 0; byte < 256; byte++) {
    const printable = (byte > 0x20 && byte < 0x7f) || (byte > 0xa0 && byte !== 0xad);
    characters.push(String.fromCharCode(printable ? byte : next++));
  }
  return characters;
}
