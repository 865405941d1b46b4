/** Codec of Parquet by name, and what makes a page smaller. */
interface CodecSpec {
  /** as it stands in the footer */
  readonly id: number;
  /** loaded when first needed: commands that write no tables do not pay for it */
  readonly load: () => Promise<(page: Uint8Array) => Uint8Array>;
}

/** Level 2 would shrink files by a tenth for a tenth more of the writer's time, level 3 by an eighth for twice that. */
const ZSTD_LEVEL = 1;

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
