/** POST /state/import with its progress: JSON lines while it runs, the last one saying how it ended. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aFlag } from '../support/builders.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import type { Stored } from '../support/stored.ts';
import { writersOf } from '../support/written-as.ts';

/** Importing this many flags takes longer than the first line takes to arrive. */
const FLAGS = 20;
const GIT = 'kustomize-controller';

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance('progress', { settings: { VEXIL_IMPORT_PROGRESS_INTERVAL: '10ms' } });
});
afterAll(() => instance.stop());

const documentOf = (prefix: string, ...more: readonly object[]) => ({
  features: [
    ...Array.from({ length: FLAGS }, (_, index) => ({ name: `${prefix}-${index}`, project: 'shop' })),
    ...more,
  ],
});
const countOf = async (prefix: string) =>
  (await instance.call(`GET /projects/shop/features?namePrefix=${prefix}-`)).body.features.length;

function importing(body: object, query = '', signal?: AbortSignal): Promise<Response> {
  return fetch(`${instance.url}/api/admin/state/import${query}`, {
    method: 'POST',
    headers: { accept: 'application/x-ndjson', 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  });
}

const linesIn = (text: string): Stored[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

/** Checks that the lines of a phase are in order after the document is read. */
function expectProgress(lines: readonly Stored[], phase: string): void {
  const said = lines.filter((line) => line.phase === phase && line.writes > 0);
  expect(said.every(({ writes }) => writes === FLAGS)).toBe(true);
  expect(said.map(({ done }) => done)).toEqual(said.map(({ done }) => done).toSorted((a, b) => a - b));
}

describe('a long import', () => {
  test('reports its progress, and its end', async () => {
    const answer = await importing(documentOf('long'));
    expect([answer.status, answer.headers.get('content-type')]).toEqual([202, 'application/x-ndjson']);
    expect(answer.headers.get('vary')).toContain('Accept');
    const lines = linesIn(await answer.text());
    expect(lines.pop()).toEqual({ result: {} });
    expect(lines.length).toBeGreaterThan(0);
    expectProgress(lines, 'checking');
    expectProgress(lines, 'writing');
    expect(await countOf('long')).toBe(FLAGS);
  });

  test('reports in the last line why it is refused, and has written nothing', async () => {
    const owned = aFlag(`${instance.home}/held`, { description: 'As in Git' });
    const writers = writersOf(instance.cluster);
    await writers.apply(GIT, owned);
    writers.close();
    await instance.served('GET /projects/shop/features/held');
    const refused = documentOf('refused', { name: 'held', project: 'shop', description: 'As imported' });
    const last = linesIn(await (await importing(refused, '?keep=false')).text()).pop();
    expect(last.error).toMatchObject({ name: 'FieldManagedError' });
    expect(last.error.message).toContain('Nothing was imported.');
    expect(await countOf('refused')).toBe(0);
  });

  test('stops when the caller disconnects, and can be sent again', async () => {
    const leaving = new AbortController();
    const answer = await importing(documentOf('left'), '', leaving.signal);
    await answer.body?.getReader().read();
    leaving.abort();
    // The server runs one import at a time: this one starts after the first one has ended.
    const other = { features: [{ name: 'other', project: 'shop' }] };
    expect((await instance.call('POST /state/import', { body: other })).status).toBe(202);
    expect(await countOf('left')).toBeLessThan(FLAGS);
    expect(linesIn(await (await importing(documentOf('left'))).text()).pop()).toEqual({ result: {} });
    expect(await countOf('left')).toBe(FLAGS);
  });
});

test('answers a dry run with its plan in the last line', async () => {
  const body = { features: [{ name: 'planned', project: 'shop' }] };
  const { result } = linesIn(await (await importing(body, '?dryRun=true')).text()).pop() ?? {};
  expect(result.created.features).toEqual(['planned']);
  expect(await instance.flagsNamed('planned')).toEqual([]);
});
