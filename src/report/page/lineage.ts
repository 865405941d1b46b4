import type { Plan } from '../../pipeline/plan.js';
import type { CorpusManifest } from '../../tables/manifest.js';
import { formatBytes, formatCount } from '../units.js';

/** What a corpus was made by and from, as pairs of name and value. No path of the machine is among them. */
export function lineageOf(manifest: CorpusManifest, plan: Plan | null): [string, string][] {
  const pairs: [string, string][] = [
    ['Plan', manifest.plan_id],
    ['trajmill', manifest.tool_version],
    ['Version of the tables', String(manifest.schema_version)],
  ];
  if (plan === null) return pairs;
  const { body } = plan;
  const bytes = body.inputs.reduce((sum, input) => sum + input.bytes, 0);
  const { lists, texts } = body.decontamination;
  const heldOut = [...lists, ...texts].map(({ name }) => name);
  return [
    ...pairs,
    ['Tokenizer, sha256', body.tokenizer_sha256],
    ['Chat template, sha256', body.template_sha256],
    ['Mask policy', body.config.mask.policy],
    ['Where the template rewrites turns', body.config.strategy],
    ['Selection rules', body.config.selection.rules.join(', ') || 'none'],
    ['Secrets', body.config.secrets === 'mask' ? 'masked' : 'kept as they are'],
    ['Held out', heldOut.join(', ') || 'nothing: not decontaminated against any benchmark'],
    [
      'Inputs',
      `${formatCount(body.inputs.length)} ${body.inputs.length === 1 ? 'file' : 'files'}, ${formatBytes(bytes)}`,
    ],
    ['Seed', String(body.config.seed)],
  ];
}
