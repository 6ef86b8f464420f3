/** Versions as large as tenants make objects: the work on them gives way to requests, and needs one at a time. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Archive, NewVersion } from '../../src/audit/archive/archive.ts';
import { type ForgettingArchive, forgettingIn } from '../../src/audit/archive/forget/forgetting-archive.ts';
import { archiveIn, openDatabase } from '../../src/audit/archive/open-archive.ts';
import { createChainVerifier } from '../../src/domain/history/verify-chain.ts';
import { databases } from '../support/archive/databases.ts';
import { forgetAll } from '../support/archive/forget-all.ts';
import { aBatch } from '../support/archive/gather.ts';
import type { RunningDatabase } from '../support/archive/running-database.ts';

/** More than are unpacked in one turn, and more than one step of forgetting reads. */
const VERSIONS = 12;

/** Of about a MB, with many values, each of which has to be looked at. */
function aLargeVersion(index: number): NewVersion {
  const metadata = { namespace: 'shop', name: 'checkout', creationTimestamp: '2026-01-01T00:00:00Z' };
  const values = Array.from({ length: 30_000 }, (_, value) => `ada ${index} ${value} ${'y'.repeat(20)}`);
  return {
    ...{ uid: 'u1', resource: 'featureflags', generation: index, isDeleted: false },
    object: JSON.stringify({ metadata, spec: { description: `version ${index}`, values } }),
    ...{ earliestAt: index * 1_000, fromAt: index * 1_000, several: false },
  };
}

/** A version of this length is unpacked. */
const MIN_LENGTH = 500_000;

/** The most versions that are unpacked in one turn of the event loop: nothing else is done meanwhile. */
async function countInOneTurn(work: () => Promise<unknown>): Promise<number> {
  let isOver = false;
  let most = 0;
  let now = 0;
  const parse = JSON.parse;
  const spy = vi.spyOn(JSON, 'parse').mockImplementation((text, reviver) => {
    if (text.length > MIN_LENGTH) now += 1;
    most = Math.max(most, now);
    return parse(text, reviver);
  });
  const count = async () => {
    while (!isOver) {
      await new Promise((resolve) => setImmediate(resolve));
      now = 0;
    }
  };
  const counting = count();
  await work();
  isOver = true;
  await counting;
  spy.mockRestore();
  return most;
}

/** Each of them takes longer than the work of a turn should, on most machines. */
const FEW = 4;

describe.each(Object.entries(databases))('in %s', (_, start) => {
  let database: RunningDatabase;
  let archive: Archive;
  let forgetting: ForgettingArchive;

  beforeAll(async () => {
    database = await start();
    const connected = openDatabase(await database.freshArchive(), { notice: () => {} });
    archive = archiveIn(connected);
    forgetting = forgettingIn(connected);
    const versions = Array.from({ length: VERSIONS }, (_, index) => aLargeVersion(index + 1));
    await archive.commit({ ...aBatch({ completeSince: 0 }), versions });
    while ((await archive.link()).links > 0);
  });
  afterAll(async () => {
    await archive?.close();
    await database?.stop();
  });

  test('the chain is read one version at a time', async () => {
    const verifier = createChainVerifier();
    const most = await countInOneTurn(async () => {
      for await (const line of archive.chain(new AbortController().signal)) verifier.accept(line);
    });
    expect(verifier.end()).toMatchObject({ found: 0, links: VERSIONS });
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(FEW);
  });

  test('a person is forgotten in one version at a time', async () => {
    const person = await forgetting.begin({ user: 'ada', emails: [] }, 'forgotten-abcd1234');
    let found = 0;
    const most = await countInOneTurn(async () => {
      found = (await forgetAll(forgetting, person, true)).versions;
    });
    expect(found).toBe(VERSIONS);
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(FEW);
  });
});
