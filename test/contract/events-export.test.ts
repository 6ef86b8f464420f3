/**
 * GET /search/events/export: every event that matches, a line for each; and the answers while the archive is
 * unavailable.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Answer } from '../support/admin-client.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { type RecordingInstance, startRecordingInstance } from '../support/recording-instance.ts';
import type { Stored } from '../support/stored.ts';

/** More than three pages of the archive. */
const MANY = 1000;

let instance: RecordingInstance;

beforeAll(async () => {
  instance = await startRecordingInstance('export');
  await instance.report(
    ...['c', 'a', 'b'].map((featureName, n) => ({
      ...{ project: 'few', featureName, createdAt: Date.UTC(2026, 0, n + 1), createdByUserId: n },
      data: { text: `line\nbreak ${featureName}\u2028` },
    })),
  );
  const data = { text: 'x'.repeat(1000) };
  await instance.report(...Array.from({ length: MANY }, (_, n) => ({ project: 'many', createdAt: n, data })));
});
afterAll(() => instance.stop());

const eventsIn = ({ text }: Answer): Stored[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));

describe('an export', () => {
  test('is a line for each event, the oldest first, as a search shows them', async () => {
    const answer = await instance.call('GET /search/events/export?project=IS:few');
    const { status, headers, text } = answer;
    expect([status, headers.get('content-type'), headers.get('etag')]).toEqual([200, 'application/x-ndjson', null]);
    expect(text).toMatch(/}\n$/);
    const { events } = (await instance.call('GET /search/events?project=IS:few')).body;
    expect(eventsIn(answer)).toEqual(events.toReversed());
    expect(eventsIn(answer).map(({ featureName }) => featureName)).toEqual(['c', 'a', 'b']);
  });

  test.each<[string, string, string]>([
    ['a text', 'query=BREAK%20A', 'a'],
    ['flags', 'feature=IS:a,b', 'ab'],
    ['a type without events', 'type=IS:feature-archived', ''],
    ['users', 'createdBy=IS:0,2', 'cb'],
    ['days', 'from=IS:2026-01-02&to=IS:2026-01-02', 'a'],
    ['an environment', 'environment=IS:production', ''],
    ['no pages: their parameters are ignored', 'offset=1&limit=1', 'cab'],
  ])('of %s', async (_, query, want) => {
    const answer = await instance.call(`GET /search/events/export?project=IS:few&${query}`);
    expect([
      answer.status,
      eventsIn(answer)
        .map(({ featureName }) => featureName)
        .join(''),
    ]).toEqual([200, want]);
  });

  test(`of ${MANY} events has each once, in order`, async () => {
    const answer = await instance.call('GET /search/events/export?project=IS:many');
    const times = eventsIn(answer).map(({ createdAt }) => Date.parse(createdAt));
    expect(times).toEqual(Array.from({ length: MANY }, (_, n) => n));
  });

  test('that is refused has the error body', async () => {
    const refused = { status: 400, name: 'ValidationError' };
    const message = await instance.refuses('GET /search/events/export?from=IS:2024-13-45', refused);
    expect(message).toContain('The `from` property is not valid: there is no such day. You sent "IS:2024-13-45".');
  });

  test('by a caller who disconnects leaves nothing open', async () => {
    for (let round = 0; round < 5; round += 1) {
      const away = new AbortController();
      const { body } = await fetch(`${instance.url}/api/admin/search/events/export`, { signal: away.signal });
      await body?.getReader().read();
      away.abort();
    }
    expect((await instance.call('GET /search/events?project=IS:few')).body.total).toBe(3);
    expect(instance.log.filter(({ level }) => level === 'error' || level === 50)).toEqual([]);
  });
});

describe('while the archive is unavailable', () => {
  let folder: string;
  let without: Instance;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'vexil-missing-'));
    const settings = { VEXIL_AUDIT_URL: `sqlite:${join(folder, 'later', 'audit.db')}` };
    without = await startInstance('no-archive', { settings });
  });
  afterAll(async () => {
    await without.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const reads = ['/search/events', '/search/events/export', '/events', '/events/f'];

  test.each(reads)('GET %s: 503 with the time to try again, and changes work', async (path) => {
    const { status, headers, body } = await without.call(`GET ${path}`);
    expect([status, body.name]).toEqual([503, 'UnavailableError']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect(body.message).toContain('Everything else works, and changes are recorded later');
    expect(body.message).not.toContain(folder);
  });

  test('invalid input is still refused, and so is a path that does not exist', async () => {
    expect((await without.call('GET /search/events?feature=x')).status).toBe(400);
    expect((await without.call('GET /search/nothing')).status).toBe(404);
  });

  test('everything else works, and so does the history when the archive can be opened', async () => {
    const created = await without.call('POST /projects/shop/features', { body: { name: 'meanwhile' } });
    expect(created.status).toBe(201);
    expect((await without.call('GET /projects/shop/features/meanwhile')).status).toBe(200);
    await mkdir(join(folder, 'later'));
    await waitUntil({ what: 'the history is read' }, async () => {
      return (await without.call('GET /search/events')).status === 200;
    });
    for (const path of reads) expect((await without.call(`GET ${path}`)).status, path).toBe(200);
  });
});
