/** The whole way from a real Unleash: its flags are imported, and users get the same from both, by every SDK. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Unleash } from 'unleash-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCoverage } from '../../src/evaluation/contexts/coverage.ts';
import {
  type DocumentFlags,
  documentFlags,
  type FieldsOfContext,
} from '../../src/evaluation/contexts/document-flags.ts';
import { fieldValues } from '../../src/evaluation/contexts/field-values.ts';
import { makeContexts } from '../../src/evaluation/contexts/make-contexts.ts';
import { seededRandom } from '../../src/model/seeded-random.ts';
import { readDocument } from '../../src/wire/client/read-document.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import type { OddUser } from '../support/odd-flags.ts';
import { sdkPrograms, startSdkProgram } from '../support/sdk-programs.ts';
import { endSdk, nextEvent, startSdk } from '../support/sdk-world.ts';
import { fillUnleash, fixtureFlagsOf, PLACES } from '../support/unleash-fixture.ts';
import {
  type Announced,
  applyImported,
  compareServers,
  eventsOf,
  importServer,
  isAnnounced,
} from '../support/unleash-move.ts';
import { startUnleash, UNLEASH_VERSIONS, type UnleashServer, type UnleashVersion } from '../support/unleash-server.ts';

const COUNT = 1000;
/** The document says what all SDKs get, so the programs of SDKs ask one of the servers. */
const ASKED_BY_PROGRAMS: UnleashVersion = '6.10.1';
/** Python takes a tenth of a second for each. */
const USERS_OF_PROGRAMS = 200;

describe.each(UNLEASH_VERSIONS)('Unleash %s', (version) => {
  let folder: string;
  let old: UnleashServer;
  let instance: Instance;
  let unmapped: readonly Announced[];
  let notes: readonly string[];
  let contexts: readonly FieldsOfContext[];
  let users: readonly OddUser[];
  /** What the old server says, by environment. */
  const documents = new Map<string, DocumentFlags>();

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'vexil-migration-'));
    old = await startUnleash(version);
    expect(await fillUnleash(old)).toEqual([]);
    instance = await startInstance('migration', { settings: { VEXIL_AUTH: 'token' } });
    const { clientTokens } = old;
    const read = [];
    for (const place of PLACES) {
      const headers = { Authorization: clientTokens[place], 'Unleash-Client-Spec': '5.2.0' };
      const answer = readDocument(await (await fetch(`${old.url}/api/client/features`, { headers })).json());
      if ('problem' in answer) throw new Error(answer.problem);
      read.push(answer.value);
      documents.set(place, documentFlags(answer.value, place, Date.now()));
    }
    const flags = [...documents.values()];
    const coverage = createCoverage(flags);
    contexts = makeContexts({ coverage, values: fieldValues(read), count: COUNT, random: seededRandom(7) });
    users = contexts.map(userOf);
  }, 600_000);
  afterAll(async () => {
    await instance?.stop();
    await old?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  test('is imported, the same bytes every time, without a write to it', async () => {
    const before = await eventsOf(old);
    const report = await importServer({ old, instance, folder }, 'flags');
    ({ unmapped, notes } = report);
    expect(report.written.length).toBeGreaterThan(fixtureFlagsOf(old).length);
    // The comparisons leave out what is announced, so that must be little.
    const leftOut = unmapped.filter(({ advice }) => advice.includes('left out')).map(({ path }) => path);
    expect(leftOut.filter((path) => !path.includes('own-date'))).toEqual([]);
    expect(await importServer({ old, instance, folder }, 'flags')).toMatchObject({
      written: [],
      unchanged: report.written,
    });
    expect(await eventsOf(old)).toBe(before);
    expect(report.written).toContain('default/featureflags/life.archived.yaml');
  });

  test('becomes objects that are all in effect', async () => {
    await applyImported({ old, instance, folder }, 'flags');
  });

  test('gives the same to every user, by its document and by its frontend API', async () => {
    // The frontend API of Unleash hashes other ids in its own way, unlike its SDKs (docs/from-unleash.md).
    const plain = contexts.filter((context) => /^\p{ASCII}*$/v.test(JSON.stringify(context)));
    await writeFile(join(folder, 'contexts.json'), JSON.stringify(plain));
    const tokens = [...Object.values(old.clientTokens), ...Object.values(old.frontendTokens)];
    const given = ['--contexts', join(folder, 'contexts.json')];
    const { differing, coverage, flags } = await compareServers({ old, instance, folder }, tokens, given);
    expect(flags).toBe(fixtureFlagsOf(old).filter(({ isArchived }) => !isArchived).length);
    expect(coverage.notReached.length).toBeLessThan(60);
    // The frontend API of version 4 chooses variants by a former hash, which the import says.
    const former = version.startsWith('4.') ? withVariants() : [];
    expect(differing.filter((flag) => !isAnnounced(unmapped, flag) && !former.includes(flag))).toEqual([]);
    expect(notes.some((note) => note.includes('former hash'))).toBe(former.length > 0);
  });

  test.each(PLACES)('gives the same to the Node SDK in %s', async (place) => {
    const flags = flagsIn(place);
    const [before, after] = await Promise.all([old.url, instance.url].map((url) => askNode(url, place, flags)));
    expect(differences(place, before, after)).toEqual([]);
  });

  const programs = Object.entries(version === ASKED_BY_PROGRAMS ? sdkPrograms : {});
  test.each(programs.flatMap(([name, make]) => PLACES.map((place) => [name, place, make] as const)))(
    'gives the same to %s in %s',
    async (_, place, make) => {
      const flags = flagsIn(place);
      const asked = users.slice(0, USERS_OF_PROGRAMS);
      const ask = async (url: string) => {
        const program = await startSdkProgram(make, {
          url,
          token: old.clientTokens[place],
          flags,
          users: asked,
          watched: '007',
        });
        try {
          return await program.answers;
        } finally {
          program.stop();
        }
      };
      const [before, after] = await Promise.all([old.url, instance.url].map(ask));
      expect(before?.map((row) => row.length)).toEqual(flags.map(() => asked.length));
      expect(differences(place, before, after)).toEqual([]);
    },
  );

  function withVariants(): readonly string[] {
    return fixtureFlagsOf(old).flatMap(({ name, variants }) => (variants ? [name] : []));
  }

  function flagsIn(place: (typeof PLACES)[number]): readonly string[] {
    return documents.get(place)?.names ?? [];
  }

  async function askNode(url: string, place: (typeof PLACES)[number], flags: readonly string[]) {
    const sdk: Unleash = startSdk(url, { token: old.clientTokens[place] });
    await nextEvent(sdk, 'synchronized');
    const answers = flags.map((flag) =>
      users.map((user) => `${sdk.isEnabled(flag, { ...user })} ${sdk.getVariant(flag, { ...user }).name}`),
    );
    endSdk(sdk);
    return answers;
  }

  /** A flag that the import named beforehand may differ; so may what chance decides. */
  function differences(place: string, before: Answers = [], after: Answers = []): readonly string[] {
    const flags = documents.get(place);
    return (flags?.names ?? []).flatMap((flag, row) => {
      const differing = users.filter((user, column) => {
        const { properties, ...fields } = user;
        const isRandom = flags?.evaluate(flag, { ...properties, ...fields })?.isRandom;
        return before[row]?.[column] !== after[row]?.[column] && !isRandom;
      });
      return differing.length === 0 || isAnnounced(unmapped, flag) ? [] : [`${flag}: ${differing.length} users`];
    });
  }
});

type Answers = readonly (readonly string[])[];

/** The time is that of the SDK. */
function userOf({
  userId = '',
  sessionId = '',
  remoteAddress,
  currentTime: _,
  ...properties
}: Record<string, string>): OddUser {
  return { userId, sessionId, ...(remoteAddress && { remoteAddress }), properties };
}
