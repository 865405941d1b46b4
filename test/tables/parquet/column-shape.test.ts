import { Field, Int32, List, vectorFromArray } from 'apache-arrow';
import { describe, expect, it } from 'vitest';
import { ByteWriter } from '../../../src/tables/parquet/byte-writer.js';
import { shapeOf } from '../../../src/tables/parquet/column-shape.js';

const LISTS = new List(new Field('element', new Int32(), true));

describe('the shape of a column of lists', () => {
  it.each([
    { what: 'all values', lists: [[1], [2, 4], [3, 5]], bounds: [0, 2, 4], places: { from: 1, to: 5 } },
    { what: 'nulls among them', lists: [[null], [2, null], [3, 5]], bounds: [0, 1, 3], places: [1, 3, 4] },
    {
      what: 'a value before',
      lists: [
        [1, null],
        [null, 4],
        [3, 5],
      ],
      bounds: [0, 1, 3],
      places: [3, 4, 5],
    },
  ])('counts from the start of a slice, with $what', ({ lists, bounds, places }) => {
    const [data] = vectorFromArray(lists, LISTS).slice(1).data;
    if (data === undefined) throw new Error('a slice without data');
    const { shape } = shapeOf(data, true);
    expect([...shape.bounds]).toEqual(bounds);
    expect(shape.places instanceof Int32Array ? [...shape.places] : shape.places).toEqual(places);
    expect(shape.writeLevels(0, 2, new ByteWriter())).toBe(4);
  });
});
