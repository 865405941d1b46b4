import { expect, it } from 'vitest';
import { FORMAT_NAMES, FORMATS, formatNamed } from '../../src/formats/registry.js';

it('names each format once, in kebab case', () => {
  expect(new Set(FORMAT_NAMES).size).toBe(FORMATS.length);
  for (const name of FORMAT_NAMES) expect(name).toMatch(/^[a-z0-9]+(?:-[a-z0-9]+)*$/);
});

it('finds a format by its name alone', () => {
  for (const format of FORMATS) expect(formatNamed(format.name)).toBe(format);
  expect(formatNamed('auto')).toBeNull();
  expect(formatNamed('toString')).toBeNull();
});

it.each(FORMATS.map((format) => [format.name, format] as const))(
  '%s says what it records',
  (_name, format) => {
    const { loss, ...notes } = format.notes;
    for (const note of Object.values(notes)) expect(note).not.toBe('');
    expect(loss.length).toBeGreaterThan(0);
    expect(format.version).toMatch(/^\d+$/);
  },
);
