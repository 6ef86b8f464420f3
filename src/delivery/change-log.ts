/** The recent changes of what SDKs read in one environment, numbered in their order. */
import type { ServedPlace, TouchedNames } from './flag-origin.ts';
import type { ServedFlag } from './served-flag.ts';

export interface ServedChange {
  readonly number: number;
  readonly name: string;
  /** Undefined: SDKs did not read it before. */
  readonly before: FormerFlag | undefined;
  /** Undefined: SDKs do not read it any more. */
  readonly after: ServedFlag | undefined;
  /** Only what edges get has changed. */
  readonly isSameContent: boolean;
}

/** A flag without its bytes, which need not be kept. */
export interface FormerFlag extends ServedPlace, Pick<ServedFlag, 'segments'> {}

export interface ChangeLog {
  /** Records the names of flags that may have changed. */
  touch(touched: TouchedNames): void;
  /** The number of the last change, 0 before the first. */
  head(): number;
  /** Whether all changes after this one are still kept. */
  keeps(number: number): boolean;
  /** Undefined if not all of them are kept any more. */
  since(number: number): readonly ServedChange[] | undefined;
}

export type OnFaultyFlag = (error: unknown, name: string) => void;

interface LogParts {
  /** Undefined: SDKs do not read it. */
  readonly served: (name: string) => ServedFlag | undefined;
  readonly everyServed: () => Iterable<ServedFlag>;
  /** Called when a flag cannot be looked at, once until it can be again. */
  readonly onFault: OnFaultyFlag;
}

/** The maximum number of changes that one log keeps. */
const MAX_CHANGES = 1_000;
const MAX_BYTES = 4 * 1024 * 1024;
/** The estimated size of a change in addition to the bytes of its flag. */
const BYTES_AROUND = 512;
/** If more names are touched, the log stops recording them and compares all flags. */
const MAX_TOUCHED = 10_000;

/** Compares touched flags only when it is read, so that a flag that changes often between two reads is one change. */
export function createChangeLog({ served, everyServed, onFault }: LogParts): ChangeLog {
  const known = new Map(Iterator.from(everyServed()).map((flag) => [flag.name, flag]));
  const recent = createRecent();
  const touched = new Set<string>();
  const faulty = new Set<string>();
  let areAllTouched = false;

  const look = (name: string): void => {
    const before = known.get(name);
    const after = served(name);
    if (before === after) return;
    if (after) known.set(name, after);
    else known.delete(name);
    const isSameContent = (before && after && isSameItem(before, after)) === true;
    if (isSameContent && before?.forEdges() === after?.forEdges()) return;
    recent.add({ name, before: before && withoutBytes(before), after: after && withMember(after), isSameContent });
  };
  /** A flag that throws loses neither its own change, which is looked at again next time, nor those of the others. */
  const lookOrKeep = (name: string): void => {
    try {
      look(name);
      faulty.delete(name);
    } catch (error) {
      touched.add(name);
      if (!faulty.has(name)) onFault(error, name);
      faulty.add(name);
    }
  };
  const lookAtTouched = (): void => {
    if (!areAllTouched && touched.size === 0) return;
    const everyName = () => new Set([...known.keys(), ...Iterator.from(everyServed()).map(({ name }) => name)]);
    const names = areAllTouched ? everyName() : [...touched];
    touched.clear();
    areAllTouched = false;
    for (const name of names) lookOrKeep(name);
  };

  return {
    touch(some) {
      if (some !== 'all') for (const name of some) touched.add(name);
      if (some !== 'all' && touched.size <= MAX_TOUCHED) return;
      areAllTouched = true;
      touched.clear();
    },
    head() {
      lookAtTouched();
      return recent.last();
    },
    keeps(number) {
      lookAtTouched();
      return recent.keeps(number);
    },
    since(number) {
      lookAtTouched();
      return recent.since(number);
    },
  };
}

/** Compares both forms: the inlined one differs whenever a segment does. */
function isSameItem(one: ServedFlag, other: ServedFlag): boolean {
  return one.bytes.equals(other.bytes) && one.inlined.equals(other.inlined);
}

function withoutBytes({ name, project, tags, segments }: ServedFlag): FormerFlag {
  return { name, project, tags, segments };
}

/** A kept change keeps texts, whose size is known, and not the objects that they are made from. */
function withMember(flag: ServedFlag): ServedFlag {
  const member = flag.forEdges();
  return { ...flag, forEdges: () => member };
}

/** The last changes, within the bounds. */
function createRecent() {
  const changes: ServedChange[] = [];
  let bytes = 0;
  let last = 0;
  return {
    add(change: Omit<ServedChange, 'number'>): void {
      last += 1;
      changes.push({ number: last, ...change });
      bytes += sizeOf(change);
      while (changes.length > MAX_CHANGES || bytes > MAX_BYTES) bytes -= sizeOf(changes.shift());
    },
    last: () => last,
    keeps: (number: number) => number <= last && last - number <= changes.length,
    since(number: number): readonly ServedChange[] | undefined {
      return this.keeps(number) ? changes.slice(changes.length - (last - number)) : undefined;
    },
  };
}

function sizeOf(change: Pick<ServedChange, 'after'> | undefined): number {
  const { bytes, inlined, forEdges } = change?.after ?? {};
  const member = forEdges?.().length ?? 0;
  return BYTES_AROUND + member + (bytes?.length ?? 0) + (inlined === bytes ? 0 : (inlined?.length ?? 0));
}
