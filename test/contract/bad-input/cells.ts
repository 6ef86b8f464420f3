/** A cell of a table of bad input: one endpoint, one invalid place, with the expected answer. */
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import type { CallOptions } from '../../support/admin-client.ts';
import { type Instance, sendsTrials } from '../../support/instance.ts';
import { complaintsAbout, expectNoComplaints, type Row } from '../../support/rows.ts';
import { writesOf } from '../../support/writes.ts';
import type { Endpoint } from '../endpoints/endpoints.ts';
import type { Want } from '../endpoints/values.ts';
import { prepare } from '../endpoints/world.ts';

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
  /** A good call is no dry run. */
  readonly writes?: boolean;
}

/** What a call does to the objects: nothing, a write that the API server only tries, or a write. */
export type Effect = 'none' | 'trial' | 'write';

/** A cell with a check of its own. */
export interface Trial extends Row {
  readonly effect: Effect;
}

/** A table in use. Nobody else writes to its instance, so one look after many calls that write nothing is enough. */
export interface Table {
  /** Makes the calls and holds the answers against what is wanted; see `expectTrials`. */
  expectAnswers(cells: readonly Cell[]): Promise<void>;
  /**
   * First those that write nothing, some at once, after which everything is as it was; then those that write, one by
   * one.
   */
  expectTrials(trials: readonly Trial[]): Promise<void>;
  /** What holds after all cells. */
  end(): void;
}

const CONCURRENCY = 4;

export async function startTable(instance: Instance): Promise<Table> {
  await prepare(instance);
  const writes = witness(() => writesOf(instance.opsUrl));
  // The operator counts what is only tried, too: there the objects tell.
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

/** A good call is a dry run, unless it `writes`. Of a refusal only what tries its writes first has one. */
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
 * One for each way in which the server treats an endpoint before its own code runs: what serve-route.ts looks at. A
 * rule that holds before that code is tried on these in every form, and on each endpoint in one.
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
    expect(status, text).toBe(endpoint.answer);
    return;
  }
  expect(`${status} ${body?.name}`, text).toBe(want);
  expect(body.message.length).toBeLessThan(5000);
}

/** Knows how everything was when it last looked. */
function witness(look: () => Promise<ReadonlyMap<string, unknown>>) {
  let known: ReadonlyMap<string, unknown> | undefined;
  const hasChanged = async (): Promise<boolean> => {
    const before = known;
    known = await look();
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
