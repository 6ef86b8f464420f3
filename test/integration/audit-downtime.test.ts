/** The operator was away for longer than the API server remembers: what happened meanwhile is told as far as objects tell it. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Entry } from '../../src/audit/entry.ts';
import { type AuditStage, setAuditStage } from '../support/audit/stage.ts';
import { installDefinitions } from '../support/control-plane/install-definitions.ts';
import { type ControlPlane, startControlPlane } from '../support/control-plane/start-control-plane.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { on } from '../support/fault-proxy/report.ts';

const home = 'vexil-system';
let plane: ControlPlane;
let stage: AuditStage;

beforeAll(async () => {
  plane = await startControlPlane();
  await installDefinitions(plane);
  await plane.kubectlOrThrow(['create', 'namespace', home]);
});
beforeEach(async () => {
  stage = await setAuditStage(plane, home);
});
afterEach(({ task }) => stage.clear(task.name));
afterAll(() => plane?.stop());

/** An API server that starts afterwards knows nothing older. */
async function forgetThePast(): Promise<void> {
  await plane.stopApiServer();
  await plane.compact();
  await plane.startApiServer();
  await waitUntil({ what: 'flags are served' }, () =>
    stage.patch('apple', {}).then(
      () => true,
      () => false,
    ),
  );
}

const shortly = ({ type, coalesced, createdBy, data, preData }: Entry) => ({
  type,
  coalesced,
  by: createdBy === stage.alice ? 'alice' : createdBy,
  is: data?.['description'] ?? null,
  was: preData?.['description'] ?? null,
});

test('one change is told as it was, several as one with the last author, what is gone as gone, a new object of an old name after it', {
  timeout: 120_000,
}, async () => {
  const first = await stage.startTelling();
  await stage.create('fig', { description: 'seen' });
  await stage.untilAllIsTold();
  await first.stop();
  await stage.stopSeeing();

  await stage.patch('birch', { description: 'once' });
  for (const turn of ['first', 'second', 'third']) await stage.patch('cedar', { description: turn });
  await stage.remove('delta');
  await stage.remove('elder');
  await stage.create('elder', { description: 'another one' });
  await stage.create('ginkgo', { description: 'new' });
  await stage.create('hazel', { description: 'new' });
  await stage.patch('hazel', { description: 'and changed' });
  await stage.create('ivy', { description: 'came and went' });
  await stage.remove('ivy');
  await forgetThePast();

  const second = await stage.start();
  const untilTold = (description: string) =>
    waitUntil({ what: `"${description}" is told` }, async () => {
      const entries = await stage.entries();
      return entries.some(({ data }) => data?.['description'] === description) && entries;
    });
  await untilTold('third');
  await stage.patch('cedar', { description: 'after' });
  const told = await untilTold('after');
  const of = (flag: string) => told.filter(({ featureName }) => featureName === flag).map(shortly);
  const strategy = { type: 'feature-strategy-add', is: null, was: null, by: 'alice' };
  const created = { type: 'feature-created', was: null, by: 'alice' };
  const updated = { type: 'feature-metadata-updated', by: 'alice' };
  const gone = { type: 'feature-deleted', coalesced: true, by: 'unknown', is: null, was: '' };
  expect(of('apple')).toEqual([]);
  expect(of('birch')).toEqual([{ ...updated, coalesced: false, is: 'once', was: '' }]);
  expect(of('cedar')).toEqual([
    { ...updated, coalesced: true, is: 'third', was: '' },
    { ...updated, coalesced: false, is: 'after', was: 'third' },
  ]);
  expect(of('delta')).toEqual([gone]);
  expect(of('elder')).toEqual([
    gone,
    { ...created, coalesced: false, is: 'another one' },
    { ...strategy, coalesced: false },
  ]);
  expect(of('fig').slice(2)).toEqual([]);
  expect(of('ginkgo')).toEqual([
    { ...created, coalesced: false, is: 'new' },
    { ...strategy, coalesced: false },
  ]);
  expect(of('hazel')).toEqual([
    { ...created, coalesced: true, is: 'and changed' },
    { ...strategy, coalesced: true },
  ]);
  expect(of('ivy')).toEqual([]);
  const events = await stage.untilAllIsPublished(told);
  const notes = events.filter(({ regarding }) => regarding.name === 'cedar').map(({ note }) => note);
  expect(notes.filter((note) => note.includes('several changes at once'))).toHaveLength(1);
  expect(stage.proxy.reached.some(on('featureflags', 'watch-list'))).toBe(true);
  await second.stop();
});
