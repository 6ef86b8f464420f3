/** Two replicas are replaced one by one, then the leader is killed, under a steady stream of writes. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Answer, Call, CallOptions } from '../support/admin-client.ts';
import { type RunningPostgres, startPostgres } from '../support/archive/postgres.ts';
import { type AuditStage, setAuditStage } from '../support/audit/stage.ts';
import { sharedCluster } from '../support/cluster.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';

interface Attempt {
  readonly at: string;
  /** A status, or the reason why no answer came. */
  readonly outcome: string;
}

interface FailoverClient {
  readonly call: Call;
  /** Every attempt that was not the last one of its call. */
  readonly retried: readonly Attempt[];
}

interface Endpoint {
  readonly url: string;
  readonly call: Call;
}

/** The limit of a call while replicas start and end; longer than a new one takes to become ready. */
const PATIENCE_MS = 30_000;

/**
 * A client as users write one: it calls the next replica if one does not answer, or answers that it should try another
 * one. `endpoints` returns the present endpoints. Each call begins with the next one of them.
 */
function failoverClient(endpoints: () => readonly Endpoint[]): FailoverClient {
  const retried: Attempt[] = [];
  let turn = 0;
  async function attempt(request: string, options: CallOptions): Promise<Answer | undefined> {
    turn += 1;
    const all = endpoints();
    const endpoint = all[turn % all.length];
    if (!endpoint) throw new Error('there is no replica to ask');
    try {
      const answer = await endpoint.call(request, options);
      if (answer.status !== 503) return answer;
      retried.push({ at: endpoint.url, outcome: '503' });
    } catch (error) {
      // fetch throws a TypeError if a connection was refused or broke.
      if (!(error instanceof TypeError)) throw error;
      retried.push({ at: endpoint.url, outcome: String((error.cause as Error | undefined)?.message ?? error) });
    }
    return undefined;
  }
  return {
    retried,
    async call(request, options = {}) {
      const until = performance.now() + PATIENCE_MS;
      while (performance.now() < until) {
        const answer = await attempt(request, options);
        if (answer) return answer;
      }
      throw new Error(`nobody has answered ${request} for ${PATIENCE_MS} ms`);
    },
  };
}

type Replica = Awaited<ReturnType<AuditStage['start']>>;

const cluster = sharedCluster();
const elected = { VEXIL_LEADER_ELECTION: 'true' };
/** Each writer has a flag of its own, so that each write changes something. */
const WRITERS = ['apple', 'birch'];

let postgres: RunningPostgres;
let stage: AuditStage;
let replicas: Replica[];

beforeAll(async () => {
  postgres = await startPostgres();
});
beforeEach(async () => {
  stage = await setAuditStage(cluster, await cluster.freshNamespace('rolling-restart'), await postgres.freshUrl());
  replicas = [await stage.startRecording(elected), await addReplica()];
});
afterEach(({ task }) => stage.clear(task.name));
afterAll(() => postgres?.stop());

async function addReplica(): Promise<Replica> {
  const replica = await stage.start(elected);
  await waitUntil({ what: 'the new replica is ready' }, replica.isReady);
  return replica;
}

/**
 * Replaces a replica as a Deployment does: the new pod is ready before the old one ends, and an endpoint is removed a
 * little late.
 */
async function replace(old: Replica): Promise<void> {
  replicas = [...replicas, await addReplica()];
  expect(await old.stop()).toEqual({ code: 0, signal: null });
  await someWrites();
  replicas = replicas.filter((one) => one !== old);
}

interface Writer {
  readonly flag: string;
  /** The acknowledged writes in order. */
  readonly acknowledged: readonly string[];
  readonly done: Promise<void>;
}

let writers: readonly Writer[];

function startWriters(client: FailoverClient, signal: AbortSignal): void {
  writers = WRITERS.map((flag) => {
    const acknowledged: string[] = [];
    const write = async (): Promise<void> => {
      while (!signal.aborted) {
        const value = `${flag} ${acknowledged.length + 1}`;
        const body = [{ op: 'replace', path: '/description', value }];
        const answer = await client.call(`PATCH /projects/shop/features/${flag}`, { body });
        expect([answer.status, answer.body.description], answer.text).toEqual([200, value]);
        acknowledged.push(value);
      }
    };
    const done = write();
    done.catch(() => undefined);
    return { flag, acknowledged, done };
  });
}

/** Resolves when each writer has made progress; rejects with the error that prevents it. */
async function someWrites(): Promise<void> {
  await Promise.all(
    writers.map(({ flag, acknowledged, done }) => {
      const enough = acknowledged.length + 10;
      const gotOn = waitUntil({ what: `${flag} is written` }, () => acknowledged.length >= enough);
      return Promise.race([gotOn, done.then(() => gotOn)]);
    }),
  );
}

async function leaderOf(all: readonly Replica[]): Promise<Replica | undefined> {
  for (const replica of all) if (await replica.leads()) return replica;
  return undefined;
}

const untilLed = (all: readonly Replica[]) =>
  waitUntil({ what: 'one of them leads' }, async () => (await leaderOf(all)) ?? false);

test('no acknowledged write is lost or recorded twice, and every error is only a retry', {
  timeout: 180_000,
}, async () => {
  const end = new AbortController();
  const client = failoverClient(() => replicas);
  startWriters(client, end.signal);
  await someWrites();
  for (const old of [...replicas]) await replace(old);
  const killed = await untilLed(replicas);
  killed.send('SIGKILL');
  await someWrites();
  replicas = replicas.filter((one) => one !== killed);
  await untilLed(replicas);
  replicas = [...replicas, await addReplica()];
  await someWrites();
  end.abort();
  for (const { done } of writers) await done;

  const recorded = await stage.untilAllIsRecorded();
  for (const { flag, acknowledged } of writers) {
    const descriptions = recorded
      .filter(({ featureName }) => featureName === flag)
      .map(({ data }) => data?.['description']);
    expect(descriptions).toEqual(acknowledged);
    // The cache of a replica may be behind the history of the leader.
    for (const { call } of replicas) {
      const description = async () => (await call(`GET /projects/shop/features/${flag}`)).body.description;
      await expect.poll(description).toBe(acknowledged.at(-1));
    }
  }
  await stage.untilAllIsPublished(recorded);
  // Without a retry, the clients noticed nothing of the restart, and the test shows nothing.
  expect(client.retried.length).toBeGreaterThan(0);
});
