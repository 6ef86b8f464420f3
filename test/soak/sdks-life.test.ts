/**
 * SDKs of several languages, unmodified, over the life of an operator: payloads, unchanged polls, a restart, a wrong
 * token.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { FlagSpec } from '../../src/schema/feature-flag.ts';
import { aFlag } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { startOperator } from '../support/operator.ts';
import { readMetric } from '../support/read-metric.ts';
import { type SdkProgram, sdkPrograms, startSdkProgram } from '../support/sdk-programs.ts';
import { tokenValue } from '../support/sdk-world.ts';
import { startService } from '../support/service.ts';

const WATCHED = 'watched';
const settings = { VEXIL_AUTH: 'token' };
const on = { enabled: true, strategies: { all: { name: 'default' } } };

let instance: Instance;
let token: string;
const running: SdkProgram[] = [];

beforeAll(async () => {
  instance = await startInstance('sdks-life', { settings });
  token = await tokenValue(instance, 'backend');
});
afterAll(() => instance.stop());
afterEach(() => {
  for (const program of running.splice(0)) program.stop();
});

const apply = (spec: FlagSpec) => instance.apply(aFlag(`${instance.home}/${WATCHED}`, spec));
const withPayload = (value: string): FlagSpec => ({
  variants: [{ name: 'red', payload: { type: 'json', value } }],
  environments: { production: on },
});

/** How often the operator has answered the poll with this status. */
const polls = (opsUrl: string, status: number) =>
  readMetric(
    opsUrl,
    `vexil_http_request_duration_seconds_count{method="GET",route="/api/client/features",status="${status}"}`,
  );
const untilPolled = async (opsUrl: string, status: number) => {
  const before = await polls(opsUrl, status);
  await waitUntil({ what: `a poll is answered ${status}` }, async () => (await polls(opsUrl, status)) > before);
};

describe.each(Object.entries(sdkPrograms))('%s', (_, make) => {
  const start = async (sent: string, url = instance.url) => {
    const program = await startSdkProgram(make, { url, token: sent, flags: [], users: [], watched: WATCHED });
    running.push(program);
    return program;
  };

  const untilWatched = (program: SdkProgram, ...said: readonly string[]) =>
    waitUntil({ what: `it has said ${said}`, timeoutMs: 60_000 }, async () => `${program.watched}` === `${said}`);

  test('payloads arrive, and an unchanged poll is answered 304', async () => {
    await apply(withPayload('{"colour":"red"}'));
    const program = await start(token);
    const untilPayload = (value: string) =>
      waitUntil({ what: `the payload is ${value}` }, async () => program.payload.at(-1) === value);
    await untilPayload('{"colour":"red"}');
    await untilPolled(instance.opsUrl, 304);
    await apply(withPayload('["ä"]'));
    await untilPayload('["ä"]');
    await untilWatched(program, 'true');
  });

  test('keeps its flags while the operator restarts, and then receives the changes', async () => {
    const { cluster, home, other } = instance;
    const startAgain = () => startOperator(cluster, home, { watched: [other], settings });
    await apply({ environments: { production: on } });
    const first = await startAgain();
    const service = await startService(first.url);
    const program = await start(token, service.url);
    await untilWatched(program, 'true');
    await untilPolled(first.opsUrl, 304);
    await first.stop();
    await apply({ environments: { production: { ...on, enabled: false } } });
    expect(program.watched).toEqual(['true']);
    const second = await startAgain();
    service.leadTo(second.url);
    await untilWatched(program, 'true', 'false');
    await second.stop();
    service.stop();
  });

  test('a wrong token is answered 401, and never turns a flag on', async () => {
    await apply({ environments: { production: on } });
    const before = await polls(instance.opsUrl, 401);
    const program = await start(`*:production.${'0'.repeat(56)}`);
    await waitUntil({ what: 'it is answered 401' }, async () => (await polls(instance.opsUrl, 401)) > before);
    await waitUntil({ what: 'it says whether the flag is on' }, async () => program.early.length > 0);
    expect([program.early, program.watched]).toEqual([['false'], []]);
  });
});
