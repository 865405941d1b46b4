import type { ClassTable } from './character-class.js';

/**
 * Zero bytes kept behind the text in every buffer, so that looking one character (or four bytes) ahead needs no
 * check. Text is valid UTF-8: it comes from TextEncoder.
 */
export const PADDING = 8;

/** Bytes of the character that starts with `lead`. */
export function widthOf(lead: number): number {
  return lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}

/** Class of the character at `at`. */
export function classAt(bytes: Uint8Array, at: number, classes: ClassTable): number {
  const lead = bytes[at] as number;
  return classes[lead < 0x80 ? lead : codePointAt(bytes, at, lead)] as number;
}

function codePointAt(bytes: Uint8Array, at: number, lead: number): number {
  const second = (bytes[at + 1] as number) & 0x3f;
  if (lead < 0xe0) return ((lead & 0x1f) << 6) | second;
  const third = (bytes[at + 2] as number) & 0x3f;
  if (lead < 0xf0) return ((lead & 0x0f) << 12) | (second << 6) | third;
  return ((lead & 0x07) << 18) | (second << 12) | (third << 6) | ((bytes[at + 3] as number) & 0x3f);
}
