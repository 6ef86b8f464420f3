/** Servers that name one page after the other for ever: each command ends, and says which server it was. */
import type { ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { checkedCluster } from '../../../cli/check/read-cluster.ts';
import { listObjects } from '../../../cli/connection/cluster.ts';
import { itemsOfPages, readAllPages } from '../../../cli/connection/pages.ts';
import { flagsOfServer } from '../../../cli/export/flags-of-server.ts';
import { withoutJournal } from '../../../cli/import/server/journal.ts';
import { readServer } from '../../../cli/import/server/read-server.ts';
import { runForget } from '../../../cli/past/run-forget.ts';
import { featureFlag } from '../../../src/schema/feature-flag.ts';
import { scriptedWorld } from '../../support/scripted-unleash.ts';
import { serving } from '../../support/serving.ts';

interface Asked {
  readonly url: string;
  readonly response: ServerResponse;
}

/** Returns the address of a server that answers the bodies of `answer` as JSON. */
function servingJson(answer: (request: Asked, body: string) => unknown): Promise<string> {
  return serving(async (request, response) => {
    const { url = '' } = request;
    response.end(JSON.stringify(answer({ url, response }, await text(request))));
  });
}

const environment = { VEXIL_TOKEN: '*:*.x' };

test('export --owned-by ends where a server has more and more flags', async () => {
  let asked = 0;
  const server = await servingJson(({ url, response }) => {
    if (url.includes('/search/')) {
      asked += 1;
      return { features: [{ name: `flag-${asked}`, project: 'shop' }], total: 1e15 };
    }
    response.statusCode = 404;
    return { name: 'NotFoundError', message: 'There is no such flag.' };
  });
  const exported = flagsOfServer({ server }, 'people', { environment });
  await expect(exported).rejects.toThrow(`${server} does not end its list of flags: it has more than 2000 pages`);
  expect(asked).toBe(2_001);
});

test('export --owned-by ends where the pages are empty', async () => {
  const server = await servingJson(() => ({ features: [], total: 1e15 }));
  expect((await flagsOfServer({ server }, 'people', { environment })).files).toEqual([]);
});

test('import --from-url ends where a search has more and more flags', async () => {
  const { '/projects/shop/features': _, ...others } = scriptedWorld(['first']);
  let asked = 0;
  const get = async (path: string) => {
    if (!path.startsWith('/search/')) return others[path.replace(/\?.*$/, '')];
    asked += 1;
    return { features: [{ name: `flag-${asked}` }], total: asked + 1 };
  };
  const server = { address: 'http://unleash.example', get };
  const read = readServer({ server, journal: withoutJournal, onFlag: () => undefined });
  await expect(read).rejects.toThrow(
    'http://unleash.example does not end its list of flags: it has more than 2000 pages',
  );
});

test('import --from-url refuses a list with more members than a command reads', async () => {
  const features = Array.from({ length: 100_001 }, (_, index) => ({ name: `flag-${index}` }));
  const answers: Record<string, unknown> = { ...scriptedWorld(['first']), '/projects/shop/features': { features } };
  const get = async (path: string) => answers[path.replace(/\?.*$/, '')];
  const server = { address: 'http://unleash.example', get };
  const read = readServer({ server, journal: withoutJournal, onFlag: () => undefined });
  await expect(read).rejects.toThrow('http://unleash.example/api/admin/projects/shop/features');
});

test.each([
  ['the same page', () => 'again', 'it names the same page as the next one 1 times in a row'],
  ['two pages in turn', (asked: number) => `${asked % 2}`, 'it names a page again that was read before'],
  ['always another page', (asked: number) => `${asked}`, 'it has more than 2000 pages'],
])('plan, export, requests and check end where a cluster names %s', async (_, tokenOf, why) => {
  let asked = 0;
  const request = async () => {
    asked += 1;
    return { metadata: { resourceVersion: '1', continue: tokenOf(asked) }, items: [] };
  };
  const transport = { request, stream: () => Promise.reject(new Error('no stream')), close: () => undefined };
  const hostile = { transport, place: 'context "hostile"' };
  const sentence = `context "hostile" does not end its list of featureflags: ${why}`;
  await expect(listObjects(hostile, featureFlag, undefined)).rejects.toThrow(sentence);
  asked = 0;
  const checked = checkedCluster(hostile, () => 'system:serviceaccount:home:vexil');
  await expect(checked.list(featureFlag)).rejects.toThrow(sentence);
});

test('history forget ends where a server goes back to what is done', async () => {
  const server = await servingJson((_, body) => ({
    ...{ pseudonym: null, entries: 1, versions: 0, events: 0, names: ['ada'], remains: { objects: [], more: 0 } },
    next: JSON.parse(body).position === 'entries:1' ? 'entries:2' : 'entries:1',
  }));
  const options = { server, user: 'ada', dryRun: true, yes: true, output: 'text' } as const;
  const terminal = { environment, write: () => undefined, writeError: () => undefined } as never;
  await expect(runForget(options, terminal)).rejects.toThrow(`${server} does not end its list of parts to forget`);
});

test('a list that waits is read on, within its limit', async () => {
  let asked = 0;
  const read = async () => {
    asked += 1;
    return { items: [asked], next: asked < 4 ? 'wait' : undefined };
  };
  const list = { place: 'here', what: 'things', read };
  expect(await readAllPages({ ...list, limits: { waits: 5 } })).toEqual([1, 2, 3, 4]);
  asked = 0;
  await expect(readAllPages({ ...list, limits: { waits: 1 } })).rejects.toThrow(
    'the same page as the next one 2 times',
  );
});

test('the time of readings is limited, and that of the reader is not', async () => {
  let now = 0;
  const pages = (ms: number) =>
    itemsOfPages({
      ...{ place: 'here', what: 'things', limits: { ms: 100 }, now: () => now },
      async read(position: number | undefined = 0) {
        now += ms;
        return { items: [position], next: position < 9 ? position + 1 : undefined };
      },
    });
  const read: number[] = [];
  for await (const item of pages(5)) {
    read.push(item);
    now += 1_000;
  }
  expect(read.length).toBe(10);
  const slow = (async () => {
    for await (const _ of pages(50));
  })();
  await expect(slow).rejects.toThrow('reading it took longer than 1 minutes');
});

test('pages that are too large together are refused', async () => {
  let asked = 0;
  const read = async () => {
    asked += 1;
    return { items: ['x'.repeat(30)], next: asked };
  };
  const pages = readAllPages({ place: 'the server', what: 'flags', read, maxCharacters: 100 });
  await expect(pages).rejects.toThrow('the server, flags: the answers have more than 100 characters together');
  expect(asked).toBe(4);
});
