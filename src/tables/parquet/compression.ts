/** Codec of Parquet by name, and what makes a page smaller. */
interface CodecSpec {
  /** as it stands in the footer */
  readonly id: number;
  /** loaded when first needed: commands that write no tables do not pay for it */
  readonly load: () => Promise<(page: Uint8Array) => Uint8Array>;
}

/** Files are a tenth smaller than with level 1, for a hundredth of the time of a run; level 3 takes twice that for less. */
const ZSTD_LEVEL = 2;

const CODECS = {
  none: { id: 0, load: async () => (page) => page },
  snappy: {
    id: 1,
    // an instance a page: the library's own reuse would let earlier pages decide how a page is compressed
    load: async () => (await import('hysnappy')).snappyCompress,
  },
  zstd: {
    id: 6,
    load: async () => {
      const { default: zstd } = await import('@foxglove/wasm-zstd');
      await zstd.isLoaded;
      return (page) => zstd.compress(page, ZSTD_LEVEL);
    },
  },
} as const satisfies Record<string, CodecSpec>;

export type Compression = keyof typeof CODECS;

export interface Codec {
  readonly id: number;
  readonly compress: (page: Uint8Array) => Uint8Array;
}

export async function openCodec(compression: Compression): Promise<Codec> {
  const { id, load } = CODECS[compression];
  return { id, compress: await load() };
}
