import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { WalkFindings } from '../../src/tokens/proof-walk.js';
import { maskTokens } from '../../src/tokens/token-mask.js';
import { placeTokens } from '../../src/tokens/token-places.js';
import {
  anyRow,
  byteLengths,
  isWhole,
  noisyMask,
  type Place,
  placesOf,
  type Row,
  SPECIAL,
  VOCABULARY,
  walk,
} from './walk-rows.js';

/** What a walk finds, one token and one question after the other. */
function findings(row: Row, mask: Uint8Array): WalkFindings {
  const places = placesOf(row);
  const { pieces } = row.layout;
  const glue = pieces.filter(({ special }) => special >= 0).map(({ start }) => start);
  const specials = places.filter(({ id }) => id === SPECIAL).map(({ at }) => at);
  const trained = places.filter((_, i) => mask[i] === 1);
  const partOf = ({ segment }: Place): string => row.segments[segment]?.part ?? '';
  const stopped = trained.filter((place) => partOf(place) === 'stop').map(({ segment }) => segment);
  return {
    binary: mask.every((value) => value < 2),
    decodes:
      places.every(({ id }) => VOCABULARY[id] !== undefined) &&
      places.map(({ bytes }) => bytes).join('') === row.text,
    masked: places.every((place, i) => (mask[i] === 1) === isWhole(place)),
    straddled: places.filter((place) => !isWhole(place) && place.flags.some((flag) => flag !== 0)).length,
    specials: glue.length === specials.length && glue.every((at, i) => at === specials[i]),
    stops: trained.every((place) =>
      partOf(place) === 'stop'
        ? place.id === SPECIAL
        : place.id !== SPECIAL || ['text', 'think_frame'].includes(partOf(place)),
    ),
    stoppedTurns: stopped.filter((segment, i) => segment !== stopped[i - 1]),
  };
}

it('finds the same as asking token by token', () => {
  fc.assert(
    fc.property(anyRow(), fc.array(fc.nat(400)), (row, noise) => {
      const mask = noisyMask(row, noise);
      const found = walk(row, mask, null);
      const wanted = findings(row, mask);
      // tokens that are not those of the text have no place in it: then only that is of interest
      if (wanted.decodes) expect(found).toEqual(wanted);
      else expect(found.decodes).toBe(false);
    }),
    { numRuns: 5000 },
  );
});

it('masks the same as asking token by token', () => {
  fc.assert(
    fc.property(anyRow(), (row) => {
      const places = placesOf(row);
      fc.pre(places.map(({ bytes }) => bytes).join('') === row.text);
      fc.pre(places.every(({ bytes }) => bytes !== ''));
      const into = new Uint8Array(places.length);
      const { layout, marks } = row;
      const count = maskTokens(row.ids, { byteLengths, layout, marks, into });
      expect([...into]).toEqual(places.map((place) => Number(isWhole(place))));
      expect([...placeTokens(row.ids, byteLengths, layout)]).toEqual(places.map(({ segment }) => segment));
      expect(count.n_trained).toBe(places.filter(isWhole).length);
      expect(count.straddled_tokens).toBe(
        places.filter((place) => !isWhole(place) && place.flags.some((flag) => flag !== 0)).length,
      );
    }),
    { numRuns: 5000 },
  );
});
