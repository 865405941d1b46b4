import type { Role } from '../trajectory/turn.js';

/** Roles of chats in the shape of OpenAI's API. */
export const CHAT_ROLES: Readonly<Record<string, Role>> = {
  system: 'system',
  developer: 'system',
  user: 'user',
  assistant: 'assistant',
  tool: 'tool',
  function: 'tool',
};
