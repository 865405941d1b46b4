/** First bytes of files that are no text, with what to call them. */
const MAGIC: readonly { readonly kind: string; readonly at: number; readonly bytes: string }[] = [
  { kind: 'an empty zip archive', at: 0, bytes: 'PK\x05\x06' },
  { kind: 'a zstd stream inside a compressed one', at: 0, bytes: '\x28\xb5\x2f\xfd' },
  { kind: 'a gzip stream inside a gzip stream', at: 0, bytes: '\x1f\x8b' },
  { kind: 'an xz stream inside a compressed one', at: 0, bytes: '\xfd7zXZ\x00' },
  { kind: 'a 7z archive', at: 0, bytes: "7z\xbc\xaf'\x1c" },
  { kind: 'a damaged tar archive', at: 257, bytes: 'ustar' },
  { kind: 'an SQLite database', at: 0, bytes: 'SQLite format 3\x00' },
  { kind: 'a Parquet file that is compressed as a whole', at: 0, bytes: 'PAR1' },
  { kind: 'an Arrow file that is compressed as a whole', at: 0, bytes: 'ARROW1' },
  { kind: 'an HDF5 file', at: 0, bytes: '\x89HDF' },
  { kind: 'a PNG image', at: 0, bytes: '\x89PNG' },
  { kind: 'a JPEG image', at: 0, bytes: '\xff\xd8\xff' },
  { kind: 'a PDF', at: 0, bytes: '%PDF-' },
  { kind: 'an ELF program', at: 0, bytes: '\x7fELF' },
  { kind: 'a Python pickle', at: 0, bytes: '\x80\x04\x95' },
  { kind: 'UTF-16 text, which is not read: convert it to UTF-8', at: 0, bytes: '\xff\xfe' },
  { kind: 'UTF-16 text, which is not read: convert it to UTF-8', at: 0, bytes: '\xfe\xff' },
];

/** What a file that is not text looks like by its first bytes, or null. */
export function binaryKind(head: Buffer): string | null {
  for (const { kind, at, bytes } of MAGIC) {
    if (head.subarray(at, at + bytes.length).equals(Buffer.from(bytes, 'latin1'))) return kind;
  }
  return null;
}
