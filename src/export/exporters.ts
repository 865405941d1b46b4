import { AREAL } from './areal.js';
import { AREAL_RL } from './areal-rl.js';
import { AXOLOTL } from './axolotl.js';
import { EXPANDED } from './expanded.js';
import type { Exporter } from './exporter.js';
import { LLAMA_FACTORY } from './llama-factory.js';
import { LLAMA_FACTORY_SHAREGPT } from './llama-factory-sharegpt.js';
import { MEGATRON_BRIDGE } from './megatron-bridge.js';
import { MS_SWIFT } from './ms-swift.js';
import { NEMO_RL } from './nemo-rl.js';
import { OLMO_CORE } from './olmo-core.js';
import { PRIME_RL } from './prime-rl.js';
import { PRIME_RL_SAMPLES } from './prime-rl-samples.js';
import { RLLM } from './rllm.js';
import { SKYRL } from './skyrl.js';
import { SLIME } from './slime.js';
import { SLIME_SAMPLES } from './slime-samples.js';
import { TINKER } from './tinker.js';
import { TRL } from './trl.js';
import { TRL_MESSAGES } from './trl-messages.js';
import { VERL } from './verl.js';
import { VERL_RL } from './verl-rl.js';
import { VERL_TOKENS } from './verl-tokens.js';

/** Every export, in the order in which pages list them. */
export const EXPORTERS: readonly Exporter[] = [
  TRL,
  AXOLOTL,
  SKYRL,
  AREAL,
  OLMO_CORE,
  MEGATRON_BRIDGE,
  LLAMA_FACTORY,
  VERL_TOKENS,
  TRL_MESSAGES,
  VERL,
  MS_SWIFT,
  SLIME,
  PRIME_RL,
  NEMO_RL,
  TINKER,
  LLAMA_FACTORY_SHAREGPT,
  SLIME_SAMPLES,
  AREAL_RL,
  PRIME_RL_SAMPLES,
  RLLM,
  VERL_RL,
  EXPANDED,
];

export const EXPORTER_NAMES: readonly string[] = EXPORTERS.map(({ name }) => name);
