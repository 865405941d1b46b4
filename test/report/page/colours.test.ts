import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const css = ['common/common.css', 'report/page.css']
  .map((file) => readFileSync(new URL(`../../../src/browser/${file}`, import.meta.url), 'utf8'))
  .join('\n');

/** Every custom property that has a light and a dark value. */
const TOKENS = new Map(
  [...css.matchAll(/--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/g)].map(
    ([, name = '', light = '', dark = '']) => [name, { light, dark }] as const,
  ),
);

/** Relative luminance of WCAG 2. */
function luminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: string, b: string): number {
  const [dark = 0, light = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
}

/** The colour over another one, at an opacity. */
function over(top: string, opacity: number, below: string): string {
  const mix = [1, 3, 5].map((at) => {
    const [t, b] = [top, below].map((hex) => Number.parseInt(hex.slice(at, at + 2), 16));
    return Math.round(opacity * (t ?? 0) + (1 - opacity) * (b ?? 0));
  });
  return `#${mix.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
}

const colour = (name: string, theme: 'light' | 'dark'): string => {
  const token = TOKENS.get(name);
  if (token === undefined) throw new Error(`no colour ${name}`);
  return token[theme];
};

describe.each(['light', 'dark'] as const)('colours in %s', (theme) => {
  it.each(['text', 'muted', 'accent', 'good', 'bad', 'warn'])('of %s can be read on every ground', (name) => {
    for (const ground of ['bg', 'surface', 'surface-2']) {
      expect(contrast(colour(name, theme), colour(ground, theme))).toBeGreaterThanOrEqual(4.5);
    }
  });

  it.each(['gold', 'silver', 'bronze', 'median'])('of %s can be read as the name of a threshold', (name) => {
    expect(contrast(colour(name, theme), colour('surface', theme))).toBeGreaterThanOrEqual(4.5);
  });

  it('of marks stand out of their ground', () => {
    const marks = [...TOKENS.keys()].filter((name) => /^(c\d|o-|line-strong)/.test(name));
    expect(marks.length).toBe(17);
    const faint = marks.filter((name) => contrast(colour(name, theme), colour('surface', theme)) < 3);
    expect(faint).toEqual([]);
  });

  it('of text on the fullest cell of a heat map, and on a button, can be read', () => {
    const source = readFileSync(
      new URL('../../../src/browser/report/parts/heat-map.ts', import.meta.url),
      'utf8',
    );
    const darkest = Number(/const DARKEST = ([\d.]+);/.exec(source)?.[1]);
    const fullest = over(colour('accent', theme), darkest, colour('surface-2', theme));
    expect(contrast(colour('text', theme), fullest)).toBeGreaterThanOrEqual(4.5);
    expect(contrast(colour('on-accent', theme), colour('accent', theme))).toBeGreaterThanOrEqual(4.5);
  });
});
