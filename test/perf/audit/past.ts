/** Measures past states with many versions: `node test/perf/audit/past.ts --versions 1000000 --database sqlite`. */

import { parseArgs } from 'node:util';
import { createPastCatalog } from '../../../src/app/past-catalog.ts';
import type { Archive, NewVersion } from '../../../src/audit/archive/archive.ts';
import { openArchive } from '../../../src/audit/archive/open-archive.ts';
import type { WantedFlags } from '../../../src/audit/archive/versions/versions.ts';
import { createCatalog } from '../../../src/catalog/catalog.ts';
import { createTimeTravel } from '../../../src/http/pages/past.ts';
import { createRecorded } from '../../../src/http/pages/recorded.ts';
import { emptyStores } from '../../../src/kinds/empty-stores.ts';
import { turnsOfRequest } from '../../../src/runtime/turns.ts';
import { featureFlag } from '../../../src/schema/feature-flag.ts';
import { describeMachine } from '../report.ts';
import { percentile } from '../statistics.ts';
import { places } from './places.ts';
import { flagName, projectId, seeded } from './plausible-entries.ts';

const FLAGS = 2_000;
const PROJECTS = 20;
const BATCH = 1_000;
const ROUNDS = 200;
const SECOND_MS = 1_000;
const environments = ['development', 'staging', 'preproduction', 'production'];

const { versions: wanted, database } = parseArgs({
  options: { versions: { type: 'string', default: '1000000' }, database: { type: 'string', default: 'sqlite' } },
}).values;
const count = Number(wanted);
const start = places[database];
if (start === undefined || !Number.isInteger(count))
  throw new Error('--database sqlite or postgres, --versions NUMBER');
const random = seeded(7);
const say = (line: string) => void process.stdout.write(`${line}\n`);

/** What people change: mostly switches and percentages, sometimes the strategies or the description. */
interface Flag {
  readonly on: boolean[];
  readonly rollout: number[];
  readonly users: string[];
  description: string;
}
const flags: Flag[] = Array.from({ length: FLAGS }, (_, index) => ({
  on: environments.map(() => false),
  rollout: environments.map(() => 0),
  users: [],
  description: `Says whether ${flagName(index)} is shown`,
}));

function change(flag: Flag, number: number): void {
  const place = Math.floor(random() * environments.length);
  const kind = random();
  if (kind < 0.4) flag.on[place] = !flag.on[place];
  else if (kind < 0.8) flag.rollout[place] = Math.floor(random() * 101);
  else if (kind < 0.95) flag.users.push(`user-${Math.floor(random() * 1e6)}`);
  else flag.description = `Changed for the ${number}th time, because the page of the release says so`;
  if (flag.users.length > 40) flag.users.splice(0, 20);
}

function specOf({ on, rollout, users, description }: Flag, index: number): object {
  const inOne = (place: number) => ({
    enabled: on[place],
    strategies: {
      gradual: {
        name: 'flexibleRollout',
        parameters: { rollout: rollout[place], stickiness: 'userId', groupId: flagName(index) },
        constraints: [{ contextName: 'country', operator: 'IN', values: ['de', 'fr', 'it'] }],
      },
      ...(users.length > 0 && { staff: { name: 'userWithId', parameters: { userIds: users.join(',') } } }),
    },
  });
  const specs = Object.fromEntries(environments.map((name, place) => [name, inOne(place)]));
  return { project: projectId(index % PROJECTS), description, type: 'release', environments: specs };
}

function versionOf(number: number): NewVersion {
  const index = number < FLAGS ? number : Math.floor(random() * FLAGS);
  const flag = flags[index] as Flag;
  if (number >= FLAGS) change(flag, number);
  const metadata = { namespace: 'shop', name: flagName(index), creationTimestamp: '2024-01-01T00:00:00Z' };
  const at = number * SECOND_MS;
  return {
    ...{ uid: `00000000-0000-4000-8000-${`${index}`.padStart(12, '0')}`, resource: featureFlag.plural },
    ...{ object: JSON.stringify({ metadata, spec: specOf(flag, index) }), generation: number, isDeleted: false },
    ...{ earliestAt: at, fromAt: at, several: false },
  };
}

async function fill(archive: Archive): Promise<void> {
  const facts = {
    scope: 'featureflags/',
    version: '1',
    era: 0,
    at: count * SECOND_MS,
    states: [],
    gone: [],
    entries: [],
  };
  for (let next = 0, revision = 0; next < count; revision += 1) {
    const versions = Array.from({ length: Math.min(BATCH, count - next) }, (_, index) => versionOf(next + index));
    next += versions.length;
    const after = revision === 0 ? undefined : revision;
    await archive.commit({ ...facts, after, versions, ...(revision === 0 && { completeSince: 0 }) });
  }
}

const place = await start();
const archive = openArchive(place.url, { notice: say });
try {
  say(describeMachine());
  const empty = (await archive.size()).bytes;
  const before = performance.now();
  await fill(archive);
  const seconds = (performance.now() - before) / 1000;
  const bytes = ((await archive.size()).bytes - empty) / count;
  say(
    `${count} versions of ${FLAGS} flags: ${bytes.toFixed(0)} bytes and ${((seconds * 1e3) / count).toFixed(2)} ms each`,
  );
  const { stores } = emptyStores();
  const present = createCatalog(stores, () => count * SECOND_MS, { home: 'shop' });
  const recorded = createRecorded({
    places: [{ resource: featureFlag.plural, namespace: undefined }],
    flags: stores.flags.all,
    others: () => [],
  });
  const makeCatalog = createPastCatalog({ catalog: present, home: 'shop', tenureMs: 0 });
  const travel = createTimeTravel({ archive, makeCatalog, recorded, random });
  const measure = async (what: string, rounds: number, flagsOf: () => WantedFlags) => {
    const times: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const at = Math.floor(random() * (count - FLAGS) + FLAGS) * SECOND_MS - 1;
      const began = performance.now();
      await travel.stateAt(
        { at, part: 'query', inGap: 'after', flags: flagsOf() },
        { signal: new AbortController().signal, turn: turnsOfRequest() },
      );
      times.push(performance.now() - began);
    }
    say(`${what}: p50 ${percentile(times, 0.5).toFixed(1)} ms, p99 ${percentile(times, 0.99).toFixed(1)} ms`);
  };
  const index = () => Math.floor(random() * FLAGS);
  await measure('a flag', ROUNDS, () => ({ of: 'names', names: [flagName(index())] }));
  await measure('a project', ROUNDS, () => ({ of: 'projects', projects: [projectId(index() % PROJECTS)] }));
  await measure('everything', 20, () => ({ of: 'all' }));
} finally {
  await archive.close();
  await place.clear();
}
