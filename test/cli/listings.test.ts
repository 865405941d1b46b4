import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { FORMAT_NAMES } from '../../src/formats/registry.js';
import { TABLE_NAMES, TABLES } from '../../src/tables/table-specs.js';
import { cli } from './harness.js';

describe('formats', () => {
  it('lists every format with what it records', async () => {
    const { code, out } = await cli(['formats']);
    expect(code).toBe(0);
    for (const name of FORMAT_NAMES) expect(out).toMatch(new RegExp(`^${name} `, 'm'));
    expect(out.match(/^ {2}scores /gm)).toHaveLength(FORMAT_NAMES.length);
  });

  it('gives the same as JSON', async () => {
    const list = JSON.parse((await cli(['formats', '--json'])).out) as { name: string; scores: string }[];
    expect(list.map(({ name }) => name)).toEqual(FORMAT_NAMES);
    expect(list.every(({ scores }) => scores.length > 0)).toBe(true);
  });
});

describe('schema', () => {
  it('lists the tables', async () => {
    const { out } = await cli(['schema']);
    for (const name of TABLE_NAMES) expect(out).toContain(name);
  });

  it.each([...TABLE_NAMES])('of %s has every column, and a valid JSON Schema', async (table) => {
    const { out } = await cli(['schema', table]);
    for (const { name } of TABLES[table].columns) expect(out).toMatch(new RegExp(`^${name} `, 'm'));
    const schema = JSON.parse((await cli(['schema', table, '--json'])).out) as { properties: object };
    expect(Object.keys(schema.properties)).toEqual(TABLES[table].columns.map(({ name }) => name));
    expect(new Ajv2020({ strict: false }).validateSchema(schema)).toBe(true);
  });

  it('of all tables comes as one JSON object', async () => {
    const all = JSON.parse((await cli(['schema', '--json'])).out) as object;
    expect(Object.keys(all)).toEqual([...TABLE_NAMES]);
  });
});
