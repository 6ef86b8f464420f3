/** The use of flags in answers, in statuses and when flags are removed. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase } from '../../src/audit/archive/open-archive.ts';
import type { Count } from '../../src/usage/counters.ts';
import { createUsage } from '../../src/usage/store.ts';
import { aFlag, aProject } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { fakeClock } from '../support/fake-clock.ts';
import { kstatusOf } from '../support/health/kstatus.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { argoCd } from '../support/lua-argocd.ts';

/** Writes evaluations of earlier days into the usage database, as another replica does. */
async function writeUsage(url: string, counts: readonly Count[]): Promise<void> {
  const database = openDatabase(url, { notice: () => undefined });
  try {
    const usage = createUsage({
      database,
      retention: { hourlyMs: 48 * 3_600_000, dailyMs: 400 * 86_400_000 },
      flushMs: 10_000,
      writer: `test-${counts.length}-${Date.now()}`,
      clock: fakeClock(),
      now: Date.now,
      random: () => 0,
      observe: { flushed: () => undefined, dropped: () => undefined, failed: () => undefined },
    });
    for (const count of counts) usage.count(count);
    await usage.flush();
  } finally {
    await database.close();
  }
}

const DAY = 86_400_000;
const everyone = { environments: { production: { enabled: true, strategies: { all: { name: 'default' } } } } };

let instance: Instance;
let folder: string;
let reportedAt: string;

const FLAG = (name: string) => `/projects/shop/features/${name}`;

/** Sends a report as an SDK does. Returns the time of the report. */
async function report(toggles: Readonly<Record<string, { readonly yes: number; readonly no: number }>>) {
  const sdk = { appName: 'web', instanceId: 'host-1', sdkVersion: 'unleash-client-node:5.6.1' };
  const started = new Date().toISOString();
  const registration = { ...sdk, started, interval: 1000, strategies: ['default', 'unheard-of'] };
  const answers = await Promise.all([
    instance.call('POST //api/client/register?environment=production', { body: registration }),
    instance.call('POST //api/client/metrics?environment=production', {
      body: { ...sdk, bucket: { start: started, stop: started, toggles } },
    }),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([202, 202]);
  return started;
}

function until<T>(what: string, look: () => Promise<T | false | undefined>): Promise<T> {
  return waitUntil({ what, everyMs: 50 }, look);
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vexil-usage-'));
  const url = `sqlite:${join(folder, 'usage.db')}`;
  instance = await startInstance('usage', {
    settings: { VEXIL_AUDIT_URL: url, VEXIL_USAGE_FLUSH_INTERVAL: '100ms', VEXIL_USAGE_REFRESH: '200ms' },
  });
  const { home } = instance;
  await instance.apply(
    aProject(`${home}/strict`, { usedFlags: 'Refuse' }),
    aFlag(`${home}/always-on`, everyone),
    aFlag(`${home}/always-off`),
    aFlag(`${home}/unused`),
    aFlag(`${home}/parent`),
    aFlag(`${home}/child`, { dependencies: [{ feature: 'parent' }] }),
    aFlag(`${home}/switch`, { ...everyone, type: 'kill-switch' }),
    aFlag(`${home}/formula`, { name: '-1-1' }),
    aFlag(`${home}/asked`, everyone),
    aFlag(`${home}/quiet`),
    aFlag(`${home}/guarded`, { ...everyone, project: 'strict' }),
    aFlag(`${home}/stowed`, { archived: true }),
  );
  const uidOf = async (name: string) => (await instance.flag(`${home}/${name}`)).metadata.uid as string;
  const count = async (name: string, days: number, answers: { yes: number; no: number }) => {
    const at = Date.now() - days * DAY;
    const place = { flagUid: await uidOf(name), environment: 'production', appName: 'shop' };
    return { ...place, ...answers, at, arrivedAt: at, variants: new Map<string, number>() };
  };
  const [yes, no] = [
    { yes: 5, no: 0 },
    { yes: 0, no: 7 },
  ];
  await writeUsage(url, [
    ...[await count('always-on', 40, yes), await count('always-on', 1, yes)],
    ...[await count('always-off', 50, no), await count('always-off', 1, no)],
    ...[await count('switch', 95, yes), await count('switch', 1, yes)],
    ...[await count('unused', 60, yes), await count('parent', 60, yes), await count('formula', 60, yes)],
  ]);
  const asked = { yes: 3, no: 1 };
  reportedAt = await report({ asked, guarded: asked, 'no-such-flag': asked, stowed: asked });
  // The flag counts as used for 39 days until its last use is the one of the report.
  await until('what SDKs have reported is known', async () => {
    const { body } = await instance.call('GET /reports/stale?name=always-on');
    return body.findings[0]?.days === 40;
  });
});
afterAll(async () => {
  await instance?.stop();
  await rm(folder, { recursive: true, force: true });
});

describe('flags', () => {
  test('have when they were last seen, their stage, and the last hour; the ETag is unchanged', async () => {
    const before = await instance.call(`GET ${FLAG('quiet')}`);
    const list = await instance.call('GET /projects/shop/features');
    expect(before.body).toMatchObject({ lastSeenAt: null, lifecycle: { stage: 'initial' } });
    await report({ quiet: { yes: 0, no: 2 } });
    const after = await until('the flag is seen', async () => {
      const answer = await instance.call(`GET ${FLAG('quiet')}`);
      return answer.body.environments[1].no === 2 && answer;
    });
    const { lastSeenAt, lifecycle, environments } = after.body;
    expect(Date.now() - Date.parse(lastSeenAt)).toBeLessThan(60_000);
    expect(lifecycle.stage).toBe('pre-live');
    expect(environments).toMatchObject([
      { name: 'development', lastSeenAt: null, yes: 0, no: 0 },
      { name: 'production', lastSeenAt, yes: 0, no: 2 },
    ]);
    expect(after.headers.get('etag')).toBe(before.headers.get('etag'));
    const listed = await until('the list has it', async () => {
      const answer = await instance.call('GET /projects/shop/features');
      return answer.body.features.find(({ name }: { name: string }) => name === 'quiet').lastSeenAt && answer;
    });
    expect(listed.headers.get('etag')).toBe(list.headers.get('etag'));
    const headers = { 'if-match': before.headers.get('etag') ?? '' };
    const { status } = await instance.call(`PUT ${FLAG('quiet')}`, { headers, body: { description: 'new' } });
    expect(status).toBe(200);
  });

  test.each([
    ['lifecycle=IS:live', ['always-on', 'asked', 'guarded', 'switch', 'unused']],
    ['lifecycle=IS_NONE_OF:live,pre-live', ['child']],
    [
      `lastSeenAt=IS_BEFORE:${new Date(Date.now() - 30 * DAY).toISOString().slice(0, 10)}`,
      ['-1-1', 'parent', 'unused'],
    ],
    [
      `lastSeenAt=IS_ON_OR_AFTER:${new Date(Date.now() - 2 * DAY).toISOString().slice(0, 10)}`,
      ['always-off', 'always-on', 'asked', 'guarded', 'quiet', 'switch'],
    ],
    ['state=IS:potentially-stale', []],
  ])('are found by %s', async (query, names) => {
    const { body } = await instance.call(`GET /search/features?sortBy=name&${query}`);
    const found = body.features.map(({ name }: { name: string }) => name);
    // A yes in production makes a flag live, so the flags with 60 days of use in the database are live too.
    const wanted = query === 'lifecycle=IS:live' ? ['-1-1', ...names.slice(0, 3), 'parent', ...names.slice(3)] : names;
    expect(found).toEqual(wanted);
  });
});

describe('metrics', () => {
  test('of the last hour, and by hour with zeros', async () => {
    const { body } = await instance.call('GET /client-metrics/features/asked');
    expect(body).toMatchObject({ version: 1, maturity: 'stable', featureName: 'asked', seenApplications: ['web'] });
    expect(body.lastHourUsage).toMatchObject([{ environment: 'production', yes: 3, no: 1 }]);
    const { body: raw } = await instance.call('GET /client-metrics/features/asked/raw?hoursBack=3');
    expect(raw.data).toHaveLength(3);
    const hour = `${reportedAt.slice(0, 13)}:00:00.000Z`;
    const counted = raw.data.filter(({ yes, no }: { yes: number; no: number }) => yes + no > 0);
    expect(counted).toMatchObject([{ timestamp: hour, yes: 3, no: 1 }]);
    await report({ quiet: { yes: 2, no: 0 } });
    const rawOf = async () => (await instance.call('GET /client-metrics/features/quiet/raw?hoursBack=2')).body.data;
    await until('the report is stored', async () => (await rawOf()).some(({ yes }: { yes: number }) => yes === 2));
    const { body: quiet } = await instance.call('GET /client-metrics/features/quiet');
    expect(quiet.lastHourUsage).toMatchObject([{ environment: 'production', yes: 2 }]);
    const { body: days } = await instance.call('GET /client-metrics/features/always-on/raw?hoursBack=1200');
    expect(days.data).toHaveLength(50);
    expect(days.data.filter(({ yes }: { yes: number }) => yes > 0)).toHaveLength(2);
    await instance.refuses('GET /client-metrics/features/no-such', { status: 404, name: 'NotFoundError' });
  });

  test('of an application: flags, unknown flags, instances, old SDKs', async () => {
    const { body } = await instance.call('GET /metrics/applications?query=WE');
    expect(body).toMatchObject({
      total: 1,
      applications: [
        {
          appName: 'web',
          usage: [
            { project: 'shop', environments: ['production'] },
            { project: 'strict', environments: ['production'] },
          ],
        },
      ],
    });
    const { body: web } = await instance.call('GET /metrics/applications/web');
    expect(web).toMatchObject({
      instances: [{ environment: 'production', sdkVersion: 'unleash-client-node:5.6.1', clientIp: null }],
      strategies: [{ name: 'default' }, { name: 'unheard-of', notFound: true }],
    });
    expect(web.seenToggles).toContainEqual({ name: 'asked', project: 'shop' });
    expect(web.seenToggles).toContainEqual({ name: 'no-such-flag', notFound: true });
    const { body: overview } = await instance.call('GET /metrics/applications/web/overview');
    expect(overview).toMatchObject({
      projects: ['shop', 'strict'],
      environments: [{ name: 'production', instanceCount: 1, issues: { outdatedSdks: ['unleash-client-node:5.6.1'] } }],
      issues: { missingStrategies: ['unheard-of'] },
    });
    expect((await instance.call('GET /metrics/instances/web/environment/production')).body.instances).toHaveLength(1);
    expect((await instance.call('GET /metrics/sdks/outdated')).body).toEqual({
      sdks: [{ sdkVersion: 'unleash-client-node:5.6.1', applications: ['web'] }],
    });
    const { body: unknown } = await instance.call('GET /metrics/unknown-flags');
    expect(unknown.unknownFlags).toMatchObject([
      { name: 'no-such-flag', archived: false, reports: [{ appName: 'web' }] },
      { name: 'stowed', archived: true },
    ]);
  });

  test('an application can be forgotten, and the endpoints of earlier servers do not exist', async () => {
    const body = { appName: 'short-lived', instanceId: 'host-1', strategies: [], started: reportedAt, interval: 1000 };
    expect((await instance.call('POST //api/client/register?environment=production', { body })).status).toBe(202);
    await instance.served('GET /metrics/applications/short-lived');
    expect((await instance.call('POST /metrics/applications/short-lived', { body: { url: 'x' } })).status).toBe(404);
    expect((await instance.call('DELETE /metrics/applications/short-lived')).status).toBe(200);
    expect((await instance.call('GET /metrics/applications/short-lived')).status).toBe(404);
    const gone = await instance.call('GET /metrics/seen-apps');
    expect([gone.status, gone.body.name]).toEqual([410, 'GoneError']);
  });
});

describe('evidence', () => {
  test('is listed with its numbers, by days; a kill switch is never one-sided', async () => {
    const { body } = await instance.call('GET /reports/stale');
    const rows = body.findings.map((one: Record<string, unknown>) => [
      one['name'],
      one['reason'],
      one['days'],
      one['keep'],
    ]);
    expect(rows).toEqual([
      ['-1-1', 'Unused', 60, null],
      ['parent', 'DependedOn', 60, null],
      ['unused', 'Unused', 60, null],
      ['always-off', 'AlwaysOff', 50, false],
      ['always-on', 'AlwaysOn', 40, true],
      ['no-such-flag', 'UnknownInUse', 0, null],
      ['stowed', 'ArchivedInUse', 0, null],
    ]);
    expect(body.total).toBe(7);
    // The oldest report of this world.
    expect(Math.floor((Date.now() - Date.parse(body.measuredSince)) / 86_400_000)).toBe(95);
    const on = body.findings.find(({ name }: { name: string }) => name === 'always-on');
    expect(on).toMatchObject({
      applications: ['shop'],
      environments: [{ name: 'production', isProduction: true, enabled: true, yes: 10, no: 0 }],
    });
    expect(body.findings[1].dependents).toEqual(['child']);
  });

  test('is filtered and paged', async () => {
    const { body } = await instance.call(
      'GET /reports/stale?reason=AlwaysOn&reason=AlwaysOff&sortBy=name&limit=1&offset=1',
    );
    expect([body.total, body.findings.map(({ name }: { name: string }) => name)]).toEqual([2, ['always-on']]);
    expect((await instance.call('GET /reports/stale?project=strict')).body).toEqual({
      version: 1,
      findings: [],
      total: 0,
      measuredSince: expect.any(String),
    });
    const named = await instance.call('GET /reports/stale?name=stowed&name=no-such-flag&name=child');
    expect(named.body.findings.map(({ name }: { name: string }) => name)).toEqual(['no-such-flag', 'stowed']);
    expect(named.body.findings[1].applications).toEqual(['web']);
    await instance.refuses('GET /reports/stale?reason=Bored', { status: 400, name: 'ValidationError' });
  });

  test('is a table for spreadsheets without formulas', async () => {
    const { headers, text } = await instance.call('GET /reports/stale?limit=2', { headers: { accept: 'text/csv' } });
    expect([headers.get('content-type'), headers.get('vary')]).toEqual(['text/csv; charset=utf-8', 'Accept']);
    const [head, first, second] = text.split('\r\n');
    expect(head).toBe(
      'project,name,type,reason,since,days,keep,lastSeenAt,environments,applications,dependents,advice',
    );
    expect(first).toMatch(/^shop,'-1-1,release,Unused,.*,60,,.*,production,shop,,Remove the flag: no application/);
    expect(second).toMatch(/^shop,parent,release,DependedOn,/);
  });

  test('is in the health report, which keeps its ETag, and in the status, which stays ready', async () => {
    const { body } = await instance.call('GET /projects/shop/health-report');
    expect(body.evidence).toEqual([
      { reason: 'Unused', count: 2 },
      { reason: 'AlwaysOn', count: 1 },
      { reason: 'AlwaysOff', count: 1 },
      { reason: 'ArchivedInUse', count: 1 },
      { reason: 'DependedOn', count: 1 },
    ]);
    const usageOf = (name: string, reason: string) =>
      until(`${name} is ${reason}`, async () => {
        const { status, metadata } = await instance.flag(`${instance.home}/${name}`);
        const [ready, ...others] = status.conditions;
        const usage = others.find(({ type }: { type: string }) => type === 'Usage');
        if (usage?.reason !== reason) return false;
        expect(usage).toMatchObject({ status: 'True', observedGeneration: metadata.generation });
        expect([ready.type, ready.status, status.problems]).toEqual(['Ready', 'True', undefined]);
        return usage.message as string;
      });
    expect(await usageOf('always-on', 'AlwaysOn')).toMatch(
      /^Warning: only yes in production since \d{4}-\d\d-\d\d, and on/,
    );
    expect(await usageOf('unused', 'Unused')).toMatch(/^Warning: no SDK has asked/);
    expect(await usageOf('asked', 'InUse')).toBe('Asked for in the last 24 hours: production by web');
    expect(await usageOf('stowed', 'ArchivedInUse')).toContain('production by web');
    const shown = async (name: string) =>
      (await instance.call(`GET /projects/shop/features/${name}/status`)).body.usage;
    expect(await shown('stowed')).toEqual({
      reason: 'ArchivedInUse',
      message: await usageOf('stowed', 'ArchivedInUse'),
    });
    expect(await shown('parent')).toBeNull();
    const object = await instance.flag(`${instance.home}/always-on`);
    const { status } = await (await argoCd()).health(object);
    expect([kstatusOf(object), status]).toEqual(['Current', 'Healthy']);
    const wide = await instance.cluster.kubectlOrThrow(['get', 'ff', 'always-on', '-n', instance.home, '-o', 'wide']);
    expect(wide).toMatch(/USAGE[\s\S]*AlwaysOn/);
  });
});

describe('an import that removes a flag that production asks for', () => {
  const dropAll = { body: { version: 4, features: [] } };
  const exported = async () => (await instance.call('GET /state/export')).body;

  test('is refused if the project says so, also as a dry run; other flags cause a warning', async () => {
    const { body, headers } = await instance.call('POST /state/import?drop=true&dryRun=true', dropAll);
    const [conflict, ...others] = body.conflicts.map(({ message }: { message: string }) => message);
    expect(conflict).toMatch(
      /^The flag "guarded" was asked for .* by web\. The project "strict" refuses its removal\.$/,
    );
    expect(others).toEqual([]);
    const warned = body.warnings.map(({ message }: { message: string }) => message.split('"')[1]);
    expect(warned).toEqual(expect.arrayContaining(['asked', 'guarded', 'stowed']));
    expect(headers.get('warning')).toContain('asked');
    const refused = { status: 409, name: 'FlagInUseError', ...dropAll };
    await instance.refuses('POST /state/import?drop=true', refused);
    const archiving = { body: { version: 4, features: [{ name: 'guarded', project: 'strict', archived: true }] } };
    await instance.refuses('POST /state/import?keep=false', { ...refused, ...archiving });
    const forced = await instance.call('POST /state/import?drop=true&force=true&dryRun=true', dropAll);
    expect([forced.body.conflicts, forced.body.deleted.features]).toEqual([[], expect.arrayContaining(['guarded'])]);
  });

  test('writes no flag that equals the document, and its document has `usedFlags`', async () => {
    const document = await exported();
    const strict = document.projects.find(({ id }: { id: string }) => id === 'strict');
    expect(strict.usedFlags).toBe('Refuse');
    const copied = { ...document, projects: [{ ...strict, id: 'copied' }] };
    expect((await instance.call('POST /state/import', { body: copied })).status).toBe(202);
    const { spec } = await instance.cluster.getObject('fp/copied', instance.home);
    expect(spec.usedFlags).toBe('Refuse');
  });
});

describe('the removal of a flag that production asks for', () => {
  const WARNING = /^299 vexil "SDKs asked for it in production in the last 24 hours: asked, by web"$/;

  test('causes a warning with the applications; that of any other flag does not', async () => {
    const quiet = await instance.call(`DELETE ${FLAG('child')}`);
    expect([quiet.status, quiet.headers.get('warning')]).toEqual([202, null]);
    const tried = await instance.call('POST /projects/shop/archive?dryRun=true', { body: { features: ['asked'] } });
    expect([tried.status, tried.headers.get('warning')]).toEqual([202, expect.stringMatching(WARNING)]);
    const { status, headers } = await instance.call(`DELETE ${FLAG('asked')}`);
    expect([status, headers.get('warning')]).toEqual([202, expect.stringMatching(WARNING)]);
    const deleted = await instance.call('DELETE /archive/stowed?dryRun=true');
    expect([deleted.status, deleted.headers.get('warning')]).toEqual([200, expect.stringContaining('stowed, by web')]);
  });

  test('is refused if the project says so, unless it is forced', async () => {
    const refused = { status: 409, name: 'FlagInUseError' };
    const message = await instance.refuses('DELETE /projects/strict/features/guarded', refused);
    expect(message).toBe(
      'The flag "guarded" was asked for in production in the last 24 hours by web. The project "strict" refuses its removal. Remove it from the applications first, or send force=true.',
    );
    await instance.refuses('POST /projects/strict/archive', { ...refused, body: { features: ['guarded'] } });
    const { status, headers } = await instance.call('DELETE /projects/strict/features/guarded?force=true');
    expect([status, headers.get('warning')]).toEqual([202, expect.stringContaining('guarded, by web')]);
    await instance.refuses('DELETE /archive/guarded', refused);
  });
});
