import type { UserText } from './response-items.js';

/** Openings of user items that Codex injects: context, instructions, notices. */
const INJECTED =
  /^\s*(?:<(?:environment_context|user_instructions|INSTRUCTIONS|permissions instructions|collaboration_mode|personality_spec|model_switch|apps_instructions|skills_instructions|plugins_instructions|skill|turn_aborted|user_shell_command|subagent_notification|user_action|hook_prompt|recommended_plugins)\b[^>]*>|# AGENTS\.md instructions\b|Warning: )/;

const ABORTED = /^\s*<turn_aborted>/;

/** Text of a user item: what the harness injects is no human's. */
export const codexUserText: UserText = (text) => {
  if (ABORTED.test(text)) return { kind: 'observation', flag: 'interrupted' };
  return INJECTED.test(text) ? { kind: 'observation', flag: 'injected' } : { kind: 'prompt', flag: null };
};
