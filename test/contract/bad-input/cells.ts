/** A cell of a table of bad input: one endpoint, one invalid place, with the expected answer. */
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import type { CallOptions } from '../../support/admin-client.ts';
import type { Instance } from '../../support/instance.ts';
import { complaintsAbout, expectNoComplaints, type Row } from '../../support/rows.ts';
import type { Endpoint } from '../endpoints/endpoints.ts';
import { prepare } from '../endpoints/world.ts';

/** `good`: as if nothing were wrong. Else the status with the name of the error. */
export type Want = 'good' | `${4}${number} ${string}`;

/** Endpoints, by their route, that answer otherwise than the row says: what, and why. */
export type Exceptions = Readonly<Record<string, readonly [want: Want, because: string]>>;

export interface Spoilt extends CallOptions {
  /** Percent-encoded, in place of the good ones. */
  readonly values?: Readonly<Record<string, string>>;
  readonly query?: string;
}

/** What the row wants of this endpoint. */
export function wanted(row: { readonly want: Want; readonly but?: Exceptions }, { route }: Endpoint): Want {
  return row.but?.[route]?.[0] ?? row.want;
}

export interface Cell {
  /** Names it among the cells of its test. */
  readonly what: string;
  readonly endpoint: Endpoint;
  readonly want: Want;
  readonly spoilt: Spoilt;
}

/** A cell with a check of its own; `writes` says whether the flags may be others afterwards. */
export interface Trial extends Row {
  readonly writes: boolean;
}

/** A table in use. Nobody else writes to its instance, so one look at the flags after many calls that write nothing is enough. */
export interface Table {
  /** Makes the calls and holds the answers against what is wanted; see `expectTrials`. */
  expectAnswers(cells: readonly Cell[]): Promise<void>;
  /** First those that write nothing, some at once, after which every flag is as it was; then the others, one by one. */
  expectTrials(trials: readonly Trial[]): Promise<void>;
  /** What holds after all cells. */
  end(): void;
}

const CONCURRENCY = 4;

export async function startTable(instance: Instance): Promise<Table> {
  await prepare(instance);
  const witness = watchOver(instance);
  const expectTrials = async (trials: readonly Trial[]) => {
    const quiet = trials.filter(({ writes }) => !writes);
    const writing = trials.filter(({ writes }) => writes);
    const complaints = await witness.complaintsAbout(quiet);
    if (writing.length > 0) witness.forget();
    expectNoComplaints([...complaints, ...(await complaintsAbout(writing, 1))]);
  };
  return {
    expectTrials,
    expectAnswers: (cells) =>
      expectTrials(
        cells.map((cell) => ({ ...cell, writes: mayWrite(cell), check: () => expectAnswer(instance, cell) })),
      ),
    end: expectNoPollution,
  };
}

/** Reads never do, refusals neither, nor do dry runs. */
export function mayWrite({ endpoint, want }: { readonly endpoint: Endpoint; readonly want: string }): boolean {
  return want === 'good' && !endpoint.isRead && endpoint.dry === undefined;
}

async function expectAnswer(instance: Instance, { endpoint, want, spoilt }: Cell): Promise<void> {
  const { request, options } = callOf(endpoint, { want, spoilt });
  const { status, body, text } = await instance.call(request, options);
  if (want === 'good') {
    expect(status, text).toBe(endpoint.answer);
    return;
  }
  expect(`${status} ${body?.name}`, text).toBe(want);
  expect(body.message.length).toBeLessThan(5000);
}

/** Knows how everything was when it last looked. */
function watchOver(instance: Instance) {
  let known: ReadonlyMap<string, string> | undefined;
  const hasChanged = async (): Promise<boolean> => {
    const before = known;
    known = await instance.everything();
    return !isDeepStrictEqual(known, before);
  };
  /** Only those that write a second time are found alone. */
  const suspects = async (rows: readonly Row[]): Promise<readonly string[]> => {
    const found: string[] = [];
    for (const row of rows) {
      await complaintsAbout([row], 1);
      if (await hasChanged()) found.push(row.what);
    }
    return found.length > 0 ? found : rows.map(({ what }) => what);
  };
  return {
    forget() {
      known = undefined;
    },
    async complaintsAbout(rows: readonly Row[]): Promise<readonly string[]> {
      known ??= await instance.everything();
      const complaints = await complaintsAbout(rows, CONCURRENCY);
      if (!(await hasChanged())) return complaints;
      return [...complaints, `something was written where nothing may be, by: ${(await suspects(rows)).join('; ')}`];
    },
  };
}

function callOf(endpoint: Endpoint, { want, spoilt }: Pick<Cell, 'want' | 'spoilt'>) {
  const { values, query, ...said } = spoilt;
  const isDry = endpoint.dry !== undefined && want === 'good';
  const queries = [...(query === undefined ? [] : [query]), ...(isDry ? ['dryRun=true'] : [])].join('&');
  const request = `${endpoint.method} ${endpoint.path(values)}${queries && `?${queries}`}`;
  const options: CallOptions = { ...(endpoint.body !== undefined && { body: endpoint.body }), ...said };
  return { request, options };
}

/** Fails where input has reached what all objects have; the server runs in this very program. */
function expectNoPollution(): void {
  for (const shared of [Object, Array, Function, String, Number]) {
    expect(Object.keys(shared.prototype)).toEqual([]);
    expect(Object.keys(shared)).toEqual([]);
  }
  expect(Reflect.ownKeys(Object.prototype).toSorted()).toEqual(
    [
      '__defineGetter__',
      '__defineSetter__',
      '__lookupGetter__',
      '__lookupSetter__',
      '__proto__',
      'constructor',
      'hasOwnProperty',
      'isPrototypeOf',
      'propertyIsEnumerable',
      'toLocaleString',
      'toString',
      'valueOf',
    ].toSorted(),
  );
}
