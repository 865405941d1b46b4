import { isPythonSpace } from './jinja/text.js';

const THINK_TAG = /<\/?think>/g;

/** Whether a text is only what templates may leave out: think tags, and white space as Python or JavaScript knows it. */
export function isLeftOut(text: string): boolean {
  for (const unit of text.replace(THINK_TAG, ''))
    if (!isPythonSpace(unit) && unit.trim() !== '') return false;
  return true;
}
