import { resolveTokenizer } from '../../src/tokens/tokenizer-file.js';

const NAMES = ['qwen3', 'llama3', 'deepseek_v3', 'gpt4o', 'gptoss'] as const;

/** Tokenizers that the engine runs and that are installed here: name and path. */
export const FAST_TOKENIZERS: ReadonlyArray<readonly [name: string, path: string]> = NAMES.flatMap((name) => {
  try {
    return [[name, resolveTokenizer(name, process.env['TRAJMILL_TOKENIZERS'] ?? process.cwd())] as const];
  } catch {
    return [];
  }
});
