import { COMPOSED, type Regions, TRAINED } from './flagged-regions.js';
import type { Layout } from './layout.js';

/** In place of a mask value: each token of the zone must be looked at by itself. */
export const LOOK = 2;

/** Runs of bytes that one mask value is right for, whatever segments they have; bytes behind the last have none. */
export interface LikeZones {
  /** 0, 1 or LOOK; one more than there are zones, the last being LOOK */
  readonly masks: Uint8Array;
  readonly ends: Int32Array;
}

/** `mustLook` says of a segment that its trained tokens must be looked at. */
export function likeZones(
  { flags, ends }: Regions,
  mustLook: (segment: number) => boolean,
  { low, bytes }: Layout,
): LikeZones {
  const most = flags.length + low.length;
  const zones = { masks: new Uint8Array(most + 1), ends: new Int32Array(most) };
  const last = low.length - 2;
  let count = 0;
  let region = 0;
  let segment = 0;
  for (let at = 0; at < bytes; ) {
    while (region < ends.length - 1 && (ends[region] as number) <= at) region++;
    while (segment < last && (low[segment + 1] as number) <= at) segment++;
    const flag = flags[region] as number;
    const looked = flag === COMPOSED || (flag === TRAINED && mustLook(segment));
    const mask = looked ? LOOK : flag;
    const end = Math.min(
      region < ends.length - 1 ? (ends[region] as number) : bytes,
      segment < last ? (low[segment + 1] as number) : bytes,
    );
    if (count === 0 || zones.masks[count - 1] !== mask) zones.masks[count++] = mask;
    zones.ends[count - 1] = end;
    at = end;
  }
  zones.masks[count] = LOOK;
  return { masks: zones.masks.subarray(0, count + 1), ends: zones.ends.subarray(0, count) };
}
