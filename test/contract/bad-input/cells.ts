/** A cell of a table of bad input: one endpoint, spoilt in one place, with the answer that the table wants. */
import { expect } from 'vitest';
import type { CallOptions } from '../../support/admin-client.ts';
import type { Instance } from '../../support/instance.ts';
import { type Endpoint, prepare } from './endpoints.ts';

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

interface Cell {
  readonly endpoint: Endpoint;
  readonly want: Want;
  readonly spoilt: Spoilt;
}

/** A table in use. Nobody else writes to its instance, so one look at the flags after each cell is enough. */
export interface Table {
  /** Makes the call and holds the answer against what is wanted. */
  expectAnswer(cell: Cell): Promise<void>;
  /** To be called after each call: after a refusal every flag is as it was. */
  expectUntouched(endpoint: Endpoint, want: string): Promise<void>;
  /** What holds after all cells. */
  end(): Promise<void>;
}

export async function startTable(instance: Instance): Promise<Table> {
  await prepare(instance);
  let known = await instance.versions();
  const expectUntouched = async ({ isRead, route }: Endpoint, want: string) => {
    // Whatever a read has written is found by the next cell that looks, at the latest by the end.
    if (isRead) return;
    const before = known;
    known = await instance.versions();
    if (want !== 'good') expect(known, `${route} was refused, and it or a read before it has written`).toEqual(before);
  };
  return {
    expectUntouched,
    async expectAnswer({ endpoint, want, spoilt }) {
      const { request, options } = callOf(endpoint, { want, spoilt });
      const { status, body, text } = await instance.call(request, options);
      await expectUntouched(endpoint, want);
      if (want === 'good') {
        expect(status, text).toBe(endpoint.answer);
        return;
      }
      expect(`${status} ${body?.name}`, text).toBe(want);
      expect(body.message.length).toBeLessThan(5000);
    },
    async end() {
      expect(await instance.versions(), 'a read has written').toEqual(known);
      expectNoPollution();
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
