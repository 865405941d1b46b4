/**
 * Digests of the reference's ids on the probe texts (see probeDigest), by the sha256 of the tokenizer.json. For these
 * files the engine's proof needs no reference at hand. The tests make them anew with the native library.
 */
export const KNOWN_PROOFS: ReadonlyMap<string, string> = new Map([
  // qwen3
  [
    'aeb13307a71acd8fe81861d94ad54ab689df773318809eed3cbe794b4492dae4',
    'a70a6de215563d601390a9b84992eb4986e453ec16c1b46fe48e505cbf96bc95',
  ],
  // llama3
  [
    'c05a3c2174e9edd5be19dc5a0748c42a9037bec2811ce062728bfd71f8702d78',
    'f1c74bdd4e97633b1d4b5c6ddd71f64d6e3faaef089ec82c46fca5f49640bd73',
  ],
  // llama3_1
  [
    'e134af98b985517b4f068e3755ae90d4e9cd2d45d328325dc503f1c6b2d06cc7',
    'f1c74bdd4e97633b1d4b5c6ddd71f64d6e3faaef089ec82c46fca5f49640bd73',
  ],
  // deepseek_v3
  [
    '621ac2e32d0dba658404412318818aaa8ce8cda492e59830109d8da6b517fb41',
    '89a8333d55bdde5e3948835e36d746265bfaba66d4b2364a770cbd243e1ba453',
  ],
  // gpt4o
  [
    '43a3ad4618a6a938f8c2614154ea10c31ad53a62d5683ae0b0e6133575cef07e',
    'fb678d4e3a27e2078abf63f9e6db46d2cd7cdedc76df7021bbc9a170f0e0e63e',
  ],
  // gptoss
  [
    '0614fe83cadab421296e664e1f48f4261fa8fef6e03e63bb75c20f38e37d07d3',
    'e212ff92b3e17da0323d03fe2c733ae74c6d36a42c85b402206c38edc6154856',
  ],
]);
