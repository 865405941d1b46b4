import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mapEdges } from '../../src/tokens/byte-edges.js';

const nfc = (text: string) => text.normalize('NFC');

function edgesOf(parts: readonly string[], normalize = nfc): { edges: [number, number][]; end: number } {
  const offsets: number[] = [];
  let at = 0;
  for (const part of parts.slice(0, -1)) {
    at += part.length;
    offsets.push(at);
  }
  const edges: [number, number][] = [];
  const end = mapEdges(
    { text: parts.join(''), offsets, normalize, base: 0 },
    {
      edge(index, low, high) {
        edges[index] = [low, high];
      },
    },
  );
  return { edges, end };
}

describe('mapEdges', () => {
  it.each<[string, string[], [number, number][], number]>([
    ['plain text', ['ab', 'c'], [[2, 2]], 3],
    ['wide characters', ['é한', '🙂'], [[5, 5]], 9],
    [
      'an edge at either end',
      ['', 'a', ''],
      [
        [0, 0],
        [1, 1],
      ],
      1,
    ],
    ['a decomposed character on one side', ['e\u0301', 'x'], [[2, 2]], 3],
    ['a mark that composes across', ['cafe', '\u0301s'], [[3, 5]], 6],
    ['a mark that does not compose', ['x', '\u0301'], [[1, 1]], 3],
    ['marks that change places', ['a\u0301', '\u0323'], [[0, 5]], 5],
    ['a mark behind a newline', ['\n', '\u0301'], [[1, 1]], 3],
    ['jamo that compose', ['\u1100', '\u1161\u11a8'], [[0, 3]], 3],
    ['a surrogate pair torn apart', ['a\ud83d', '\ude42b'], [[1, 5]], 6],
    ['a lone surrogate', ['a\ud83d', 'b'], [[4, 4]], 5],
    [
      'two edges in one cluster',
      ['e', '\u0327', '\u0301x'],
      [
        [0, 2],
        [2, 2],
      ],
      5,
    ],
  ])('%s', (_, parts, edges, end) => {
    const found = edgesOf(parts);
    expect(found.end).toBe(end);
    expect(found.edges).toEqual(edges);
  });

  it('agrees with the normalised text for any parts', () => {
    const characters = fc.constantFrom(
      ...[
        'a',
        'e',
        '\n',
        '\u0301',
        '\u0323',
        '\u0327',
        '\u0338',
        '>',
        '=',
        '\u1100',
        '\u1161',
        '\u11a8',
        '각',
      ],
      ...[
        '가',
        'é',
        'ệ',
        '\ud83d',
        '\ude42',
        '🙂',
        '\u0f71',
        '\u0f72',
        '\u212b',
        '\u0958',
        '\u09c7',
        '\u09be',
        '中',
      ],
    );
    const part = fc.array(characters, { maxLength: 6 }).map((list) => list.join(''));
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 6 }), (parts) => {
        const { edges, end } = edgesOf(parts);
        const whole = Buffer.from(nfc(parts.join('')));
        expect(end).toBe(whole.length);
        let from = 0;
        edges.forEach(([low, high], index) => {
          expect(low).toBeGreaterThanOrEqual(Math.min(from, low));
          expect(high).toBeGreaterThanOrEqual(low);
          const left = parts.slice(0, index + 1).join('');
          const right = parts.slice(index + 1).join('');
          if (low === high) {
            expect(Buffer.concat([Buffer.from(nfc(left)), Buffer.from(nfc(right))])).toEqual(whole);
            expect(low).toBe(Buffer.byteLength(nfc(left)));
          } else {
            // what is said to belong to one side really is that side's own text
            expect(Buffer.from(nfc(left)).subarray(0, low)).toEqual(whole.subarray(0, low));
            const tail = Buffer.from(nfc(right));
            expect(tail.subarray(tail.length - (end - high))).toEqual(whole.subarray(high));
          }
          from = low;
        });
      }),
      { numRuns: 3000 },
    );
  });
});
