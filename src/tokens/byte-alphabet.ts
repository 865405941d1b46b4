/**
 * The alphabet in which byte-level tokenizers write bytes (GPT-2): printable Latin-1 characters stand for
 * themselves, every other byte for the next code point from U+0100 on, in order.
 */
export const BYTE_CHARACTERS: readonly string[] = byteCharacters();

const BYTE_OF_UNIT = byteOfUnit();

/**
 * Writes the bytes that a byte-level token stands for into `out` at `at`; returns their count, or -1 if the token
 * holds a character outside the alphabet.
 */
export function writeTokenBytes(token: string, out: Uint8Array, at: number): number {
  for (let i = 0; i < token.length; i++) {
    const byte = BYTE_OF_UNIT[token.charCodeAt(i)] ?? -1;
    if (byte < 0) return -1;
    out[at + i] = byte;
  }
  return token.length;
}

function byteOfUnit(): Int16Array {
  const bytes = new Int16Array(0x200).fill(-1);
  for (const [byte, character] of BYTE_CHARACTERS.entries()) bytes[character.charCodeAt(0)] = byte;
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
