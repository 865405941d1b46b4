import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
  bin: Record<string, string>;
};
const lock = readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8');

describe('the package', () => {
  it('pins every dependency to one version', () => {
    for (const [name, version] of Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })) {
      expect(version, name).toMatch(/^\d+\.\d+\.\d+[\w.-]*$/);
    }
  });

  it('has a lock file without download addresses', () => {
    expect(lock).not.toContain('"resolved"');
  });

  it('exports its library from one place', async () => {
    const library = (await import('../src/index.js')) as Record<string, unknown>;
    expect(Object.keys(library)).toContain('readTrajectories');
    for (const [name, value] of Object.entries(library)) expect(value, name).toBeDefined();
  });
});
