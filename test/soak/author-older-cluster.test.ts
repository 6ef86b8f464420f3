/**
 * Without the author policy, the API still stamps its writes. For other writers, the author is the field manager, and
 * is marked as such.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { runProgram } from '../../scripts/tools/run-program.ts';
import { stampOf } from '../support/author-policy.ts';
import { aFlag } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import type { Stored } from '../support/stored.ts';

let instance: Instance;
let name: string;
let round = 0;

beforeAll(async () => {
  instance = await startInstance('older');
});
afterAll(() => instance.stop());

const manifest = (spec: object = {}) => aFlag(`${instance.home}/${name}`, { description: 'first', ...spec });
const stored = (): Promise<Stored> => instance.flag(`${instance.home}/${name}`);
const author = async () => (await stored()).status.changedBy;
const kubectl = (args: readonly string[], input?: object) =>
  instance.cluster.kubectlOrThrow([...args, '-n', instance.home], input && { input: JSON.stringify(input) });
const describeByApi = async (value: string) => {
  await instance.served(`GET /projects/shop/features/${name}`);
  const body = [{ op: 'replace', path: '/description', value }];
  expect((await instance.call(`PATCH /projects/shop/features/${name}?force=true`, { body })).status).toBe(200);
};
const patch = (manager: string, spec: object) =>
  kubectl(['patch', 'ff', name, '--type=merge', `--field-manager=${manager}`, '-p', JSON.stringify({ spec })]);

/** The API server has times in whole seconds, and the author names both managers of one second. */
const nextSecond = async () => {
  const now = Math.floor(Date.now() / 1000);
  await waitUntil({ what: 'the next second has begun' }, () => Math.floor(Date.now() / 1000) > now);
};

beforeEach(() => {
  round += 1;
  name = `flag-${round}`;
});

test('the API, then kubectl edit, then the API: the author of each change has the right kind', async () => {
  await kubectl(['create', '-f', '-'], manifest());
  expect(await author()).toBe('field manager kubectl-create');
  await nextSecond();
  await describeByApi('by the API');
  expect(await author()).toBe('unknown');

  const { cluster, home } = instance;
  const edited = await runProgram(cluster.kubectlProgram, ['edit', 'ff', name, '-n', home], {
    environment: {
      KUBECONFIG: cluster.kubeconfig,
      KUBECACHEDIR: `${cluster.directory}/kubectl`,
      KUBERC: 'off',
      KUBE_EDITOR: "sed -i 's/by the API/by hand/'",
    },
  });
  expect(edited.code, edited.stderr).toBe(0);
  const byHand = await stored();
  expect(byHand.spec.description).toBe('by hand');
  expect(byHand.status.changedBy).toBe('field manager kubectl-edit');
  // The stamp of the API still exists, but for another generation.
  expect(stampOf(byHand)).toMatchObject({ 'changed-by': 'unknown', 'changed-generation': '2' });

  await describeByApi('by the API again');
  expect(await author()).toBe('unknown');
});

test('a change right after one of the API is not taken as its own, again and again', async () => {
  await kubectl(['create', '-f', '-'], manifest());
  await nextSecond();
  await patch('a-manager', { stale: true });
  for (const turn of ['one', 'two', 'three', 'four', 'five']) {
    await describeByApi(`by the API, ${turn}`);
    expect(await author()).toBe('unknown');
    await patch('a-manager', { tags: [`turn:${turn}`] });
    expect(await author()).toBe('field manager a-manager');
  }
});

describe.each([
  ['kubectl apply', [], 'kubectl-client-side-apply'],
  ['a server-side apply', ['--server-side', '--force-conflicts'], 'kubectl'],
  ['Flux', ['--server-side', '--force-conflicts', '--field-manager=kustomize-controller'], 'kustomize-controller'],
])('%s', (way, args, manager) => {
  const apply = (spec: object) => kubectl(['apply', ...args, '-f', '-'], manifest(spec));

  test(`is named as field manager ${manager}; a write without a change changes neither name nor version`, async () => {
    name = `${way.toLowerCase().replace(/[^a-z]+/g, '-')}-applied`;
    await apply({});
    expect(await author()).toBe(`field manager ${manager}`);
    await nextSecond();
    await patch('somebody-else', { stale: true });
    const changed = await stored();
    expect(changed.status.changedBy).toBe('field manager somebody-else');
    await apply({});
    await apply({});
    expect(await stored()).toEqual(changed);
    await nextSecond();
    await apply({ description: 'second' });
    expect(await author()).toBe(`field manager ${manager}`);
  });
});

test('a later writer of a label has not changed the spec, although the time of its fields moves', async () => {
  const flux = ['apply', '--server-side', '--field-manager=kustomize-controller', '-f', '-'];
  await kubectl(flux, manifest());
  await nextSecond();
  await patch('somebody-else', { stale: true });
  expect(await author()).toBe('field manager somebody-else');
  await nextSecond();
  const { metadata, ...rest } = manifest();
  await kubectl(flux, { ...rest, metadata: { ...metadata, labels: { team: 'payments' } } });
  const labelled = await stored();
  const timeOf = (wanted: string) => labelled.metadata.managedFields.find((one: Stored) => one.manager === wanted).time;
  expect(timeOf('kustomize-controller') > timeOf('somebody-else')).toBe(true);
  // The flag is judged again for another reason.
  await kubectl(['patch', 'ff', name, '--subresource=status', '--type=merge', '-p', '{"status":{"enabledIn":"x"}}']);
  await waitUntil({ what: 'the status is mended' }, async () => (await stored()).status.enabledIn === undefined);
  expect(await author()).toBe('field manager somebody-else');
});

test('of many managers the last one is named, also if the first ones have been merged', async () => {
  await kubectl(['create', '-f', '-'], manifest());
  for (let index = 1; index <= 14; index += 1) await patch(`manager-${index}`, { tags: [`number:${index + 100}`] });
  for (let index = 1; index <= 14; index += 1) {
    await patch(`holder-${index}`, { environments: { [`stage-${index}`]: { enabled: false } } });
  }
  const { metadata } = JSON.parse(await kubectl(['get', 'ff', name, '-o', 'json', '--show-managed-fields']));
  expect(metadata.managedFields.map((one: Stored) => one.manager)).toContain('ancient-changes');
  expect(await author()).toMatch(/^field manager (.* or )?holder-14\b/);
  await nextSecond();
  await describeByApi('by the API');
  expect(await author()).toBe('unknown');
  await patch('holder-1', { description: 'by an old hand' });
  expect(await author()).toBe('field manager holder-1');
});

/** managedFields does not show what a write has removed. */
test('a writer that only removes leaves no trace: the previous writer is named', async () => {
  await kubectl(['create', '-f', '-'], manifest());
  await patch('remover', { description: null });
  expect(await author()).toBe('field manager kubectl-create');
});
