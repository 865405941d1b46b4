import { wordsOf } from './words.js';

export interface MinHashOptions {
  /** words a shingle */
  readonly ngram: number;
  readonly buckets: number;
  /** hashes a bucket */
  readonly hashes: number;
  readonly seed: number;
}

/**
 * MinHash signatures of texts over runs of words: a signature holds, for each of buckets x hashes seeded
 * permutations, the least hash of a shingle, so that two texts agree in a place with the probability of their
 * Jaccard similarity. Pure: equal options and texts give equal signatures on every machine.
 */
export class MinHasher {
  readonly size: number;
  readonly #ngram: number;
  readonly #factors: Uint32Array;
  readonly #offsets: Uint32Array;

  constructor(options: MinHashOptions) {
    this.size = options.buckets * options.hashes;
    this.#ngram = options.ngram;
    this.#factors = new Uint32Array(this.size);
    this.#offsets = new Uint32Array(this.size);
    const next = randomInts(options.seed);
    for (let i = 0; i < this.size; i++) {
      // odd factors permute the 32-bit integers
      this.#factors[i] = next() | 1;
      this.#offsets[i] = next();
    }
  }

  /** The signature of a text; null where it has no words. A text of fewer words than a shingle is one shingle. */
  sign(text: string): Uint32Array | null {
    const shingles = shingleHashes(wordsOf(text), this.#ngram);
    if (shingles.length === 0) return null;
    const signature = new Uint32Array(this.size).fill(0xffffffff);
    for (let i = 0; i < this.size; i++) {
      const factor = this.#factors[i] ?? 1;
      const offset = this.#offsets[i] ?? 0;
      let least = 0xffffffff;
      for (let s = 0; s < shingles.length; s++) {
        const hash = (Math.imul(shingles[s] ?? 0, factor) + offset) >>> 0;
        if (hash < least) least = hash;
      }
      signature[i] = least;
    }
    return signature;
  }
}

/** Share of the places in which two signatures agree: an estimate of the Jaccard similarity of their shingles. */
export function estimatedJaccard(a: Uint32Array, b: Uint32Array): number {
  let equal = 0;
  for (let i = 0; i < a.length; i++) if (a[i] === b[i]) equal++;
  return a.length === 0 ? 0 : equal / a.length;
}

/** One 32-bit hash for each run of n words, in order, or for all words where they are fewer. */
function shingleHashes(words: readonly string[], n: number): Uint32Array {
  const hashes = Uint32Array.from(words, wordHash);
  const length = Math.min(n, hashes.length);
  if (length === 0) return new Uint32Array(0);
  const shingles = new Uint32Array(hashes.length - length + 1);
  for (let i = 0; i < shingles.length; i++) {
    let mixed = 0x9e3779b9;
    for (let w = 0; w < length; w++) mixed = mix((Math.imul(mixed, 31) + (hashes[i + w] ?? 0)) >>> 0);
    shingles[i] = mixed;
  }
  return shingles;
}

/** FNV-1a over UTF-16 units. */
function wordHash(word: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < word.length; i++) hash = Math.imul(hash ^ word.charCodeAt(i), 0x01000193);
  return mix(hash >>> 0);
}

/** The finaliser of MurmurHash3: every bit of the input moves every bit of the result. */
function mix(value: number): number {
  let hash = value ^ (value >>> 16);
  hash = Math.imul(hash, 0x85ebca6b);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function randomInts(seed: number): () => number {
  let state = mix((seed ^ 0x5bd1e995) >>> 0);
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    return mix(state);
  };
}
