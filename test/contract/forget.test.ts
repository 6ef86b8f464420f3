/** POST /history/forget: the history and the Events of a cluster without a person. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { aFlag, aUser } from '../support/builders.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { recorded, untilRecorded } from '../support/recorded-events.ts';
import { untilRecording } from '../support/until-recording.ts';

const FORGET = 'POST /history/forget';
const ADA = { user: 'ada', emails: [] };
const FLAG = 'PATCH /projects/shop/features/cart';
const described = (value: string) => [{ op: 'replace', path: '/description', value }];

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance('forget');
  const { cluster, call, home } = instance;
  await instance.apply(aFlag(`${home}/first`), aFlag(`${home}/cart`));
  await untilRecording(cluster, call, { flag: '/projects/shop/features/first', namespace: home });
  await instance.apply(aUser(`${home}/ada`, { email: 'ada@example.com', displayName: 'Ada Lovelace' }));
  await untilRecorded(call, 'type=IS:user-created', 1);
  await instance.served('GET /projects/shop/features/cart');
  await instance.call(`${FLAG}?reason=Asked%20by%20ada`, { body: described('ask ada@example.com') });
  await untilRecorded(call, 'feature=IS:cart&type=IS:feature-metadata-updated', 1);
});
afterAll(() => instance.stop());

interface Progress {
  readonly pseudonym: string | null;
  readonly next: string | null;
  readonly entries: number;
  readonly versions: number;
  readonly events: number;
  readonly remains: { readonly objects: readonly object[] };
}

/** Sends requests until nothing is left to do. */
async function forget(query = ''): Promise<readonly Progress[]> {
  const answers: Progress[] = [];
  for (let position: string | null | undefined; position !== null; ) {
    const { status, body, text } = await instance.call(`${FORGET}${query}`, {
      body: { ...ADA, ...(position && { position }) },
    });
    expect(status, text).toBe(200);
    answers.push(body);
    position = body.next;
  }
  return answers;
}

const sum = (answers: readonly Progress[], of: 'entries' | 'versions' | 'events') =>
  answers.reduce((total, answer) => total + answer[of], 0);
const eventsText = () =>
  instance.cluster.kubectlOrThrow(['get', 'events', '-n', instance.home, '-l', 'vexil.dev/audit=1', '-o', 'json']);

test('a dry run says what would be replaced, and what the cluster still says', async () => {
  await expect.poll(eventsText).toContain('Asked by ada');
  const answers = await forget('?dryRun=true');
  expect(sum(answers, 'entries')).toBeGreaterThan(1);
  expect(sum(answers, 'events')).toBeGreaterThan(1);
  expect(answers[0]).toMatchObject({ pseudonym: null });
  expect(answers[0]?.remains.objects).toEqual(
    expect.arrayContaining([
      { resource: 'flagusers', namespace: instance.home, name: 'ada', in: 'object' },
      { resource: 'featureflags', namespace: instance.home, name: 'cart', in: 'spec' },
      { resource: 'featureflags', namespace: instance.home, name: 'cart', in: 'annotations' },
    ]),
  );
  expect(await recorded(instance.call, 'type=IS:history-person-forgotten')).toEqual([]);
});

test('afterwards no answer and no Event names the person, and the act is an entry', async () => {
  await instance.call(FLAG, { body: described('') });
  await instance.cluster.kubectlOrThrow(['delete', 'flaguser', 'ada', '-n', instance.home]);
  await untilRecorded(instance.call, 'type=IS:user-deleted', 1);
  await untilRecorded(instance.call, 'feature=IS:cart&type=IS:feature-metadata-updated', 2);

  const [first, ...rest] = await forget('?reason=Asked%20for%20by%20Ada%20Lovelace');
  const pseudonym = first?.pseudonym ?? '';
  expect(pseudonym).toMatch(/^forgotten-\w{8}$/);
  const { text } = await instance.call('GET /search/events/export');
  expect(text).not.toMatch(/\bada\b|lovelace/i);
  const [act] = await untilRecorded(instance.call, 'type=IS:history-person-forgotten', 1);
  expect(act).toMatchObject({
    data: { pseudonym, entries: sum([first as Progress, ...rest], 'entries') },
    reason: `Asked for by ${pseudonym}`,
  });
  // Wakes the publisher.
  await instance.call(FLAG, { body: described('one more') });
  await expect.poll(eventsText).toContain('HistoryPersonForgotten');
  const events = await eventsText();
  expect(events).not.toMatch(/\bada\b|lovelace|a…@example/i);
  expect(events).toContain(`Asked by ${pseudonym}`);
  expect(events).toContain(`User ${pseudonym} was created`);
});
