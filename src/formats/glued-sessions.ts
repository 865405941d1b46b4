/** What a record of a session log says of the session that it stands in. */
export interface SessionMark {
  /** it stands at the head of a session */
  readonly opens?: boolean;
  /** heads may stand behind it that name what it was forked from */
  readonly nests?: boolean;
  /** it stands at the end of a session: what follows without a name is another */
  readonly closes?: boolean;
  /** the session that it names */
  readonly session?: string | null;
  /** its own id, where records point to each other */
  readonly id?: string | null;
  /** what no other record has: an equal record that has it too is a copy; its id where it is left out */
  readonly once?: string | null;
  /** its time, where nothing else tells it from others: an equal record is a copy where other times stand in between */
  readonly time?: string | null;
  /** ids of the records that it follows: what hangs together is one session, whatever it names */
  readonly follows?: readonly (string | null)[];
}

export type SessionMarker = (record: unknown) => SessionMark | null;

/**
 * The sessions in a log of several, as indices of its records, in the order of their first records. A record belongs
 * to the session that it names, else to that of the record which it follows, else to that of the record before it. A
 * head begins a session unless it repeats the name of one (a session that was resumed) or stands behind another head
 * that may nest. A session without a name is the one that its first named record names.
 * Where nothing in the log tells sessions apart, it is one.
 */
export function gluedSessions(records: readonly unknown[], markOf: SessionMarker): readonly number[][] {
  const groups = new Groups();
  const named = new Map<string, number>();
  const byId = new Map<string, number>();
  const titled = new Set<number>();
  let current = groups.begin();
  let spoken = false;
  let closed = false;
  const marks = records.map((record, index) => {
    const mark = markOf(record) ?? {};
    const name = mark.session ?? null;
    const known = name === null ? undefined : named.get(name);
    const heads = mark.opens === true;
    const anonymous = !titled.has(current);
    const elsewhere = name !== null && (known === undefined ? !anonymous : known !== current);
    const apart = heads ? spoken || (elsewhere && mark.nests !== true) : elsewhere;
    const followed = name === null && !heads ? followedOf(mark, byId) : undefined;
    if (followed !== undefined) current = followed;
    else if (apart || (closed && name === null)) {
      // Behind the end of a session, only the next end may tell that it went on.
      if (known !== undefined && anonymous && !heads) groups.join(current, known);
      current = known ?? groups.begin();
      spoken = false;
    }
    if (name !== null) {
      if (known === undefined) named.set(name, current);
      titled.add(current);
    }
    spoken ||= !heads;
    closed = mark.closes === true;
    groups.add(current, index);
    const id = mark.id ?? null;
    if (id !== null && !byId.has(id)) byId.set(id, current);
    return { mark, group: current };
  });
  for (const { mark, group } of marks) {
    for (const id of [mark.id, ...(mark.follows ?? [])]) {
      const other = byId.get(id ?? '');
      if (other !== undefined) groups.join(group, other);
    }
  }
  return groups.all();
}

/** The session of the record that one follows, as far as it stands before it. */
function followedOf({ follows = [] }: SessionMark, byId: ReadonlyMap<string, number>): number | undefined {
  const id = follows.find((each) => byId.has(each ?? ''));
  return byId.get(id ?? '');
}

/** The records of a session without those that equal an earlier one, as where lines were written again. */
export function withoutCopies(
  records: readonly unknown[],
  indices: readonly number[],
  markOf: SessionMarker,
): readonly number[] {
  const first = new Map<string, Written>();
  const texts = new Map<string, Map<string, number>>();
  let stretch = 0;
  let latest: string | null = null;
  return indices.filter((index) => {
    const mark = markOf(records[index]) ?? {};
    const time = mark.time ?? null;
    if (time !== null && time !== latest) stretch++;
    latest = time ?? latest;
    const own = mark.once ?? mark.id ?? null;
    const key = own ?? time;
    if (key === null) return true;
    const before = first.get(key);
    if (before === undefined) {
      first.set(key, { index, stretch });
      return true;
    }
    const known = texts.get(key) ?? new Map([[JSON.stringify(records[before.index]), before.stretch]]);
    texts.set(key, known);
    const text = JSON.stringify(records[index]);
    const written = known.get(text);
    if (written === undefined) known.set(text, stretch);
    // What was written at one go may well hold the same words twice.
    return written === undefined || (own === null && written === stretch);
  });
}

/** Where a record stands, and in which stretch of records of one time. */
interface Written {
  readonly index: number;
  readonly stretch: number;
}

/** Groups of indices, of which some turn out to be one. */
class Groups {
  private readonly members: number[][] = [];
  private readonly joined: number[] = [];

  begin(): number {
    this.members.push([]);
    return this.joined.push(this.joined.length) - 1;
  }

  add(group: number, index: number): void {
    this.members[group]?.push(index);
  }

  join(one: number, other: number): void {
    const [a, b] = [this.rootOf(one), this.rootOf(other)];
    this.joined[Math.max(a, b)] = Math.min(a, b);
  }

  all(): number[][] {
    const whole = new Map<number, number[]>();
    this.members.forEach((indices, group) => {
      const root = this.rootOf(group);
      const known = whole.get(root);
      if (known === undefined) whole.set(root, indices);
      else for (const index of indices) known.push(index);
    });
    return [...whole.values()].map((indices) => indices.sort((a, b) => a - b));
  }

  private rootOf(group: number): number {
    let root = group;
    for (let next = this.joined[root]; next !== undefined && next !== root; next = this.joined[root]) {
      // Each look shortens the way for the next one.
      this.joined[root] = this.joined[next] ?? next;
      root = next;
    }
    return root;
  }
}
