/** The history checker on histories made by hand: it accepts the good ones and finds what is wrong in the others. */
import { describe, expect, test } from 'vitest';
import { checkHistory } from '../../support/history/check-history.ts';
import type { Fields } from '../../support/history/fields.ts';
import type { FinalView, History, Operation, Read, Version } from '../../support/history/history.ts';
import { fieldsOfAbsent, type LifeEntryPoint, lifeStep, NOT_SERVED, SERVED } from '../../support/history/life.ts';

const START: Fields = { description: '"start"', stale: 'false', type: '"release"' };

/** Versions 1, 2, … that the watch reported at the times 10, 20, …; each has its changes. */
function versions(...changes: readonly Fields[]): Version[] {
  let fields = START;
  return [{}, ...changes].map((change, index) => {
    fields = { ...fields, ...change };
    return { flag: 'f', version: String(index + 1), fields, seenAt: (index + 1) * 10 };
  });
}

let count = 0;

function write(
  writes: Fields,
  [startedAt, endedAt]: readonly [number, number],
  more: Partial<Operation> = {},
): Operation {
  count += 1;
  const outcome = { type: 'acknowledged' } as const;
  const entryPoint = 'patch';
  return { id: count, writer: 'w', entryPoint, flag: 'f', writes, dryRun: false, startedAt, endedAt, outcome, ...more };
}

function read(fields: Fields, [startedAt, endedAt]: readonly [number, number], replica = 'r1'): Read {
  return { replica, flag: 'f', startedAt, endedAt, fields };
}

function history(parts: Partial<History>): History {
  return { operations: [], reads: [], versions: versions(), finalViews: [], ...parts };
}

const refused = { outcome: { type: 'refused', status: 409, reason: 'Conflict' } } as const;
const unknown = { outcome: { type: 'unknown', reason: 'the connection broke' } } as const;
const A: Fields = { description: '"a"' };
const B: Fields = { description: '"b"' };
const STALE: Fields = { stale: 'true' };
const FRESH: Fields = { stale: 'false' };

const good: Readonly<Record<string, Partial<History>>> = {
  'nothing happens': {},
  'a write is in a version of its time': { versions: versions(A), operations: [write(A, [11, 25])] },
  'a write is overwritten by a later one': {
    versions: versions(A, B),
    operations: [write(A, [11, 20]), write(B, [21, 30])],
  },
  'two writes at the same time come in either order': {
    versions: versions(B, A),
    operations: [write(A, [11, 40]), write(B, [11, 40])],
  },
  'a write of what is there already makes no version': {
    versions: versions(STALE),
    operations: [write(STALE, [11, 25]), write(STALE, [12, 26])],
  },
  'a status write makes a version without a change': {
    versions: versions({}, A, {}),
    operations: [write(A, [11, 35])],
  },
  'an unknown write is there': { versions: versions(A), operations: [write(A, [11, 12], unknown)] },
  'an unknown write is not there': { operations: [write(A, [11, 12], unknown)] },
  'an unknown write comes after its caller has given up': {
    versions: versions(B, A),
    operations: [write(A, [11, 12], unknown), write(B, [13, 21])],
  },
  'what was refused or a dry run is nowhere': {
    operations: [write(A, [11, 12], refused), write(B, [11, 12], { dryRun: true })],
  },
  'two fields of different writers change one after the other': {
    versions: versions(A, STALE),
    operations: [write(A, [11, 31]), write(STALE, [11, 31])],
  },
  'a switch goes to and fro': {
    versions: versions(STALE, FRESH, STALE),
    operations: [write(STALE, [11, 21]), write(FRESH, [22, 31]), write(STALE, [32, 41])],
  },
  'If-Match names the version that is replaced': {
    versions: versions(A, B),
    operations: [write(A, [11, 20]), write(B, [21, 30], { expected: { ...START, ...A } })],
  },
  'a version without a change lies between a version and its replacement': {
    versions: versions({}, A),
    operations: [write(A, [21, 35], { over: '2', version: '3' })],
  },
  'a replica shows what it acknowledged, another one not yet': {
    versions: versions(A),
    operations: [write(A, [11, 20], { replica: 'r1' })],
    reads: [read(A, [21, 22], 'r1'), read(START, [21, 22], 'r2')],
  },
  'a read while the answer is on its way shows either': {
    versions: versions(A),
    operations: [write(A, [11, 20], { replica: 'r1' })],
    reads: [read(A, [12, 15]), read(START, [13, 16])],
  },
  'all agree in the end': {
    versions: versions(A),
    operations: [write(A, [11, 20])],
    finalViews: [view('r1', A), view('the API server', { ...START, ...A })],
  },
};

function view(who: string, fields: Fields): FinalView {
  return { who, flag: 'f', fields };
}

const LOST = /operation \d+ .* is in no version of its time$/;
const UNEXPLAINED = /version \d+ changes .* no operation of that moment is left to explain it/;

const bad: Readonly<Record<string, readonly [Partial<History>, ...RegExp[]]>> = {
  'an acknowledged write is nowhere': [{ operations: [write(A, [11, 20])] }, LOST],
  'the version was there before the write began': [
    { versions: versions(A, B, {}), operations: [write(A, [31, 35]), write(B, [11, 30])] },
    // Each of the two times may be the wrong one, so both versions are named.
    UNEXPLAINED,
    UNEXPLAINED,
    LOST,
    LOST,
  ],
  'the version came after the write was acknowledged': [
    { versions: versions(B, A), operations: [write(A, [11, 12]), write(B, [13, 20])] },
    UNEXPLAINED,
    UNEXPLAINED,
    LOST,
    LOST,
  ],
  'a refused write is there': [
    { versions: versions(A), operations: [write(A, [11, 20], refused)] },
    /version 2 changes description .*it looks like operation \d+ \(patch by w, refused 409/,
  ],
  'a dry run is there': [
    { versions: versions(A), operations: [write(A, [11, 20], { dryRun: true })] },
    /it looks like operation \d+ \(patch by w, acknowledged, dry run/,
  ],
  'no operation wrote it': [{ versions: versions(A) }, UNEXPLAINED],
  'a write takes back the field of a neighbour': [
    {
      versions: versions(A, { ...STALE, description: '"start"' }),
      operations: [write(A, [11, 20]), write(STALE, [15, 30])],
    },
    UNEXPLAINED,
  ],
  'one write makes two versions': [
    { versions: versions(STALE, FRESH, STALE), operations: [write(STALE, [11, 41]), write(FRESH, [11, 41])] },
    UNEXPLAINED,
  ],
  'one of two writes of the same value is lost between others': [
    {
      versions: versions(STALE, FRESH),
      operations: [write(STALE, [11, 20]), write(FRESH, [21, 30]), write(STALE, [31, 40])],
    },
    LOST,
  ],
  'half of a write is there': [
    { versions: versions(A), operations: [write({ ...A, ...STALE }, [11, 20])] },
    UNEXPLAINED,
    LOST,
  ],
  'If-Match did not hold what was written meanwhile': [
    {
      versions: versions(STALE, A),
      operations: [write(STALE, [11, 20]), write(A, [12, 30], { expected: START })],
    },
    UNEXPLAINED,
    LOST,
  ],
  'a replacement replaces a version that it had not read': [
    {
      versions: versions(STALE, A),
      operations: [write(STALE, [11, 20]), write(A, [12, 30], { over: '1' })],
    },
    UNEXPLAINED,
    LOST,
  ],
  'the answer names a version that never was': [
    { versions: versions(A), operations: [write(A, [11, 20], { version: '9' })] },
    UNEXPLAINED,
    LOST,
  ],
  'the answer shows something else': [
    { versions: versions(A), operations: [write(A, [11, 20], { answered: { ...A, ...STALE } })] },
    UNEXPLAINED,
    LOST,
  ],
  'a replica does not show what it acknowledged': [
    {
      versions: versions(A),
      operations: [write(A, [11, 20], { replica: 'r1' })],
      reads: [read(START, [21, 22])],
    },
    /r1 shows an older state than version 2/,
  ],
  'a replica does not show what it acknowledged to another caller': [
    {
      versions: versions(A, B),
      operations: [write(A, [11, 20], { replica: 'r1' }), write(B, [21, 30], { replica: 'r1', writer: 'other' })],
      reads: [read(A, [31, 32])],
    },
    /r1 shows an older state than version 3/,
  ],
  'a replica goes back to what it had shown before': [
    {
      versions: versions(A, B),
      operations: [write(A, [11, 20]), write(B, [21, 30])],
      reads: [read(B, [31, 32]), read(A, [33, 34])],
    },
    /r1 shows an older state than version 3/,
  ],
  'a replica shows what never was': [
    { reads: [read({ description: '"b"' }, [11, 12])] },
    /r1 shows a state that never was, after version 1/,
  ],
  'a replica shows two writes of which the later one is not yet there': [
    {
      versions: versions(A, STALE),
      operations: [write(A, [11, 20]), write(STALE, [21, 30])],
      reads: [read({ description: '"start"', stale: 'true' }, [31, 32])],
    },
    /a state that never was/,
  ],
  'a replica stays behind': [
    {
      versions: versions(A),
      operations: [write(A, [11, 20])],
      finalViews: [view('r2', START)],
    },
    /in the end r2 shows another state than the last version, 2/,
  ],
};

/** The versions of a flag that does not exist at first, like `versions`. A name says which object it then is. */
function life(...steps: readonly (readonly [string, Fields])[]): Version[] {
  let fields: Fields = { ...fieldsOfAbsent('f') };
  return [['', {}] as const, ...steps].map(([uid, change], index) => {
    fields = { ...fields, ...change };
    return { flag: 'f', uid, version: String(index), fields, seenAt: (index + 1) * 10 };
  });
}

const described = (text: string): Fields => ({ description: JSON.stringify(text) });
const createdAs = (text: string): Fields => lifeStep('create', 'f', described(text)).writes;
const GONE: Fields = lifeStep('delete', 'f', {}).writes;
const ARCHIVED: Fields = lifeStep('archive', 'f', {}).writes;
const REVIVED: Fields = lifeStep('revive', 'f', {}).writes;

function step(
  entryPoint: LifeEntryPoint,
  span: readonly [number, number],
  more: Partial<Operation> & { text?: string } = {},
) {
  const { text = 'a', ...rest } = more;
  const { writes, expected } = lifeStep(entryPoint, 'f', described(text));
  return write(writes, span, { entryPoint, expected, ...rest });
}

const goodIncarnations: Readonly<Record<string, Partial<History>>> = {
  'a flag is created, archived, revived, archived, deleted, created anew': {
    versions: life(
      ['one', createdAs('a')],
      ['one', ARCHIVED],
      ['one', REVIVED],
      ['one', ARCHIVED],
      ['one', GONE],
      ['two', createdAs('b')],
    ),
    operations: [
      step('create', [11, 20]),
      step('archive', [21, 30]),
      step('revive', [31, 40]),
      step('archive', [41, 50]),
      step('delete', [51, 60]),
      step('create', [61, 70], { text: 'b' }),
    ],
  },
  'kubectl deletes what was never archived': {
    versions: life(['one', createdAs('a')], ['one', GONE]),
    operations: [step('kubectl-create', [11, 20]), step('kubectl-delete', [21, 30])],
  },
  'of two creates one is refused': {
    versions: life(['one', createdAs('a')]),
    operations: [step('create', [11, 20]), step('create', [11, 20], { text: 'b', ...refused })],
  },
  'to archive what is archived changes nothing': {
    versions: life(['one', createdAs('a')], ['one', ARCHIVED]),
    operations: [step('create', [11, 20]), step('archive', [21, 30]), step('archive', [31, 32])],
  },
};

const badIncarnations: Readonly<Record<string, readonly [Partial<History>, ...RegExp[]]>> = {
  'what was acknowledged as created is not there': [{ versions: life(), operations: [step('create', [11, 20])] }, LOST],
  'what was created is gone without a deletion': [
    { versions: life(['one', createdAs('a')], ['one', GONE]), operations: [step('create', [11, 20])] },
    UNEXPLAINED,
  ],
  'what was acknowledged as deleted is there': [
    {
      versions: life(['one', createdAs('a')], ['one', ARCHIVED]),
      operations: [step('create', [11, 20]), step('archive', [21, 30]), step('delete', [31, 40])],
    },
    LOST,
  ],
  'what was deleted comes back by itself': [
    {
      versions: life(['one', createdAs('a')], ['one', GONE], ['two', createdAs('a')]),
      operations: [step('create', [11, 20]), step('kubectl-delete', [21, 30])],
    },
    // The flag may also have been created early and deleted by itself, so both are named.
    UNEXPLAINED,
    UNEXPLAINED,
    LOST,
  ],
  'a refused create left something behind': [
    { versions: life(['one', createdAs('a')]), operations: [step('create', [11, 20], refused)] },
    /version 1 changes .*it looks like operation \d+ \(create by w, refused 409/,
  ],
  'something of an earlier flag is in the next one of its name': [
    {
      versions: life(['one', createdAs('a')], ['one', STALE], ['one', GONE], ['two', { ...createdAs('b'), ...STALE }]),
      operations: [
        step('create', [11, 20]),
        write(STALE, [21, 30]),
        step('kubectl-delete', [31, 40]),
        step('create', [41, 50], { text: 'b' }),
      ],
    },
    UNEXPLAINED,
    LOST,
  ],
  'the admin API deletes what is not archived': [
    {
      versions: life(['one', createdAs('a')], ['one', GONE]),
      operations: [step('create', [11, 20]), step('delete', [21, 30])],
    },
    UNEXPLAINED,
    LOST,
  ],
  'two objects have one name': [
    {
      versions: life(['one', createdAs('a')], ['two', createdAs('b')]),
      operations: [step('create', [11, 20]), step('create', [11, 21], { text: 'b' })],
    },
    /version 2 is of a second object/,
    UNEXPLAINED,
    LOST,
  ],
  'a replica shows what it has deleted': [
    {
      versions: life(['one', createdAs('a')], ['one', ARCHIVED], ['one', GONE]),
      operations: [step('create', [11, 20]), step('archive', [21, 30]), step('delete', [31, 40], { replica: 'r1' })],
      reads: [read({ ...described('a'), ...SERVED }, [41, 42])],
    },
    /r1 shows an older state than version 3/,
  ],
  'a replica does not find what it has created': [
    {
      versions: life(['one', createdAs('a')]),
      operations: [step('create', [11, 20], { replica: 'r1' })],
      reads: [read(NOT_SERVED, [21, 22])],
    },
    /r1 shows an older state than version 1/,
  ],
};

describe('a history is good when', () => {
  test.each(Object.entries({ ...good, ...goodIncarnations }))('%s', (_, parts) => {
    expect(checkHistory(history(parts))).toEqual([]);
  });
});

describe('a history is bad when', () => {
  test.each(Object.entries({ ...bad, ...badIncarnations }))('%s', (_, [parts, ...findings]) => {
    expect(checkHistory(history(parts))).toEqual(findings.map((finding) => expect.stringMatching(finding)));
  });
});

test('the histories of two flags are independent', () => {
  const elsewhere = versions(A).map((version) => ({ ...version, flag: 'g' }));
  const both = history({ versions: [...versions(), ...elsewhere], operations: [write(A, [11, 20])] });
  expect(checkHistory(both)).toEqual([expect.stringMatching(LOST), expect.stringMatching(/^g: version 2/)]);
});
