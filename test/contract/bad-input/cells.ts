/** A cell of a table of bad input: one endpoint, one invalid place, with the expected answer. */
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import type { CallOptions } from '../../support/admin-client.ts';
import { type Instance, sendsTrials } from '../../support/instance.ts';
import { complaintsAbout, expectNoComplaints, type Row } from '../../support/rows.ts';
import type { Endpoint } from '../endpoints/endpoints.ts';
import type { Want } from '../endpoints/values.ts';
import { prepare } from '../endpoints/world.ts';

/** Endpoints, by their route, whose answer differs from the row: the answer, and the reason. */
export type Exceptions = Readonly<Record<string, readonly [want: Want, because: string]>>;

export interface Spoilt extends CallOptions {
  /** The values of path parameters, percent-encoded, that replace the good ones. */
  readonly values?: Readonly<Record<string, string>>;
  readonly query?: string;
}

/** The status of a good call. The caller of the tables is no user. */
export function goodAnswer({ ofUsers, answer }: Endpoint): number {
  return ofUsers ? 403 : answer;
}

/** The answer that the row expects of this endpoint. */
export function wanted(row: { readonly want: Want; readonly but?: Exceptions }, { route }: Endpoint): Want {
  return row.but?.[route]?.[0] ?? row.want;
}

export interface Cell {
  /** The name of the cell within its test. */
  readonly what: string;
  readonly endpoint: Endpoint;
  readonly want: Want;
  readonly spoilt: Spoilt;
  /** Whether a good call writes, instead of being a dry run. */
  readonly writes?: boolean;
}

/** The effect of a call on the objects: nothing, a dry run at the API server, or a write. */
export type Effect = 'none' | 'trial' | 'write';

/** A cell with a check of its own. */
export interface Trial extends Row {
  readonly effect: Effect;
}

/** A table in use. No other test writes to its instance, so one check after many calls that write nothing is enough. */
export interface Table {
  /** Makes the calls and compares the answers with the expected ones; see `expectTrials`. */
  expectAnswers(cells: readonly Cell[]): Promise<void>;
  /**
   * Makes the calls that write nothing, several at once, and checks that nothing changed; then makes those that write,
   * one by one.
   */
  expectTrials(trials: readonly Trial[]): Promise<void>;
  /** Checks what holds after all cells. */
  end(): void;
}

const CONCURRENCY = 4;

export async function startTable(instance: Instance): Promise<Table> {
  await prepare(instance);
  const writes = witness(instance.writes);
  // The operator counts dry runs as writes too; for those the objects are compared.
  const objects = witness(instance.everything);
  const expectTrials = async (trials: readonly Trial[]) => {
    const having = (effect: Effect) => trials.filter((trial) => trial.effect === effect);
    writes.forget();
    const complaints = [
      ...(await writes.complaintsAbout(having('none'))),
      ...(await objects.complaintsAbout(having('trial'))),
    ];
    const writing = having('write');
    if (writing.length > 0) objects.forget();
    expectNoComplaints([...complaints, ...(await complaintsAbout(writing, 1))]);
  };
  return {
    expectTrials,
    expectAnswers: (cells) =>
      expectTrials(
        cells.map((cell) => ({ ...cell, effect: effectOf(cell), check: () => expectAnswer(instance, cell) })),
      ),
    end: expectNoPollution,
  };
}

/**
 * A good call is a dry run unless `writes` is set. A refused call has an effect only if the endpoint first tries its
 * writes as dry runs.
 */
export function effectOf({
  endpoint,
  want,
  writes,
}: Pick<Cell, 'endpoint' | 'writes'> & { readonly want: string }): Effect {
  if (endpoint.isRead) return 'none';
  if (want !== 'good') return sendsTrials(endpoint.path()) ? 'trial' : 'none';
  return writes ? 'write' : 'trial';
}

/**
 * Returns one endpoint for each way in which the server treats a request before the endpoint's own code runs, as
 * serve-route.ts decides. A rule that holds before that code is tried in every form on these, and in one form on each
 * endpoint.
 */
export function examplesOf(all: readonly Endpoint[]): readonly Endpoint[] {
  const ways = all.map((endpoint) => {
    const { acceptsUpload, anyContentType, ignoresBody, streams } = endpoint.definition;
    const way = [endpoint.isRead, endpoint.body === undefined, acceptsUpload, anyContentType, ignoresBody, streams];
    return [JSON.stringify(way), endpoint] as const;
  });
  return [...new Map(ways.toReversed()).values()];
}

async function expectAnswer(instance: Instance, cell: Cell): Promise<void> {
  const { endpoint, want } = cell;
  const { request, options } = callOf(cell);
  const { status, body, text } = await instance.call(request, options);
  if (want === 'good') {
    expect(status, text).toBe(goodAnswer(endpoint));
    return;
  }
  expect(`${status} ${body?.name}`, text).toBe(want);
  expect(body.message.length).toBeLessThan(5000);
}

/** Returns a function that says whether anything changed since its last call. */
function witness(look: () => Promise<ReadonlyMap<string, unknown>>) {
  let known: ReadonlyMap<string, unknown> | undefined;
  const hasChanged = async (): Promise<boolean> => {
    const before = known;
    known = await look();
    return !isDeepStrictEqual(known, before);
  };
  /** Repeats the rows one by one, and returns those that write the second time. */
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
      if (rows.length === 0) return [];
      known ??= await look();
      const complaints = await complaintsAbout(rows, CONCURRENCY);
      if (!(await hasChanged())) return complaints;
      return [...complaints, `something was written where nothing may be, by: ${(await suspects(rows)).join('; ')}`];
    },
  };
}

function callOf({ endpoint, want, spoilt, writes = false }: Cell) {
  const { values, query, ...said } = spoilt;
  const isDry = !endpoint.isRead && want === 'good' && !writes;
  const queries = [...(query === undefined ? [] : [query]), ...(isDry ? ['dryRun=true'] : [])].join('&');
  const request = `${endpoint.method} ${endpoint.path(values)}${queries && `?${queries}`}`;
  const options: CallOptions = { ...(endpoint.body !== undefined && { body: endpoint.body }), ...said };
  return { request, options };
}

/** Fails if input has changed a prototype that all objects share. The server runs in this process. */
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
