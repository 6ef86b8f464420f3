/**
 * Every endpoint about a flag, called on a flag, an environment or a strategy that does not exist or belongs elsewhere.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Exceptions, startTable, type Table, wanted } from '../../contract/bad-input/cells.ts';
import { type Endpoint, endpoints } from '../../contract/endpoints/endpoints.ts';
import type { Want } from '../../contract/endpoints/values.ts';
import { aFlag, anEnvironment, aProject } from '../../support/builders.ts';
import { type Instance, startInstance } from '../../support/instance.ts';

let instance: Instance;
let table: Table;

beforeAll(async () => {
  instance = await startInstance('bad-places');
  const { home, other } = instance;
  const strategies = { one: { name: 'default' }, 'only-there': { name: 'default' } };
  await instance.apply(
    anEnvironment(`${home}/unused`),
    anEnvironment(`${home}/disabled`, { enabled: false }),
    aProject(`${home}/empty`),
    aFlag(`${home}/living`, { environments: { production: { strategies } }, variants: [{ name: 'blue' }] }),
    aFlag(`${home}/stowed`, { archived: true, environments: { production: { strategies } } }),
    aFlag(`${other}/of-pay`, { project: 'pay', environments: { production: { strategies } } }),
    aFlag(`${home}/astray`, { project: 'pay', environments: { production: { strategies } } }),
    aFlag(`${home}/homeless`, { project: 'no-such', environments: { production: { strategies } } }),
  );
  table = await startTable(instance);
});
afterAll(async () => {
  table.end();
  await instance.stop();
});

const MISSING = '404 NotFoundError';
const ARCHIVED = '400 ArchivedFeatureError';
const INVALID = '400 ValidationError';

interface Row {
  readonly what: string;
  readonly values: Readonly<Record<string, string>>;
  readonly want: Want;
  readonly but?: Exceptions;
}

const FLAG = '/projects/:projectId/features/:featureName';
const PLACE = `${FLAG}/environments/:environment`;

/** Endpoints that refuse an archived flag with an error of its own. The others answer 404. */
const refusingArchived: Exceptions = Object.fromEntries(
  endpoints
    .filter(({ route, isRead }) => !isRead && (route.includes(PLACE) || route.includes('/variants')))
    .map(({ route }) => [route, [ARCHIVED, 'it is there, but cannot be changed']]),
);

const ofFlags: readonly Row[] = [
  { what: 'a flag of another project', values: { featureName: 'of-pay' }, want: MISSING },
  { what: 'another project', values: { projectId: 'pay', featureName: 'living' }, want: MISSING },
  { what: 'a project without flags', values: { projectId: 'empty', featureName: 'living' }, want: MISSING },
  { what: 'a flag whose project is elsewhere', values: { projectId: 'pay', featureName: 'astray' }, want: MISSING },
  { what: 'a flag without its project', values: { projectId: 'no-such', featureName: 'homeless' }, want: MISSING },
  { what: 'a flag in other letters', values: { featureName: 'Living' }, want: MISSING },
  {
    what: 'an archived flag',
    values: { featureName: 'stowed' },
    want: MISSING,
    but: {
      ...refusingArchived,
      [`DELETE ${FLAG}`]: ['good', 'it is in the archive already'],
      [`GET ${FLAG}/status`]: ['good', 'it says that the flag is archived'],
      [`GET ${FLAG}/ownership`]: ['good', 'what keeps it from being revived must be seen'],
      [`POST ${FLAG}/ownership`]: ['good', 'what keeps it from being revived can be handed over'],
    },
  },
];

const ADDED = `POST ${PLACE}/strategies`;
const ofEnvironments: readonly Row[] = [
  { what: 'an environment that there is not', values: { environment: 'no-such' }, want: MISSING },
  { what: 'an environment in other letters', values: { environment: 'Production' }, want: MISSING },
  {
    what: 'an environment that the project does not use',
    values: { environment: 'unused' },
    want: MISSING,
    but: { [ADDED]: [INVALID, 'it exists, and could be added to the project'] },
  },
  {
    what: 'an environment that is disabled',
    values: { environment: 'disabled' },
    want: MISSING,
    but: { [ADDED]: [INVALID, 'it exists, and could be added to the project'] },
  },
];

const ofStrategies: readonly Row[] = [
  { what: 'a strategy of another flag', values: { strategyId: 'only-there' }, want: MISSING },
  { what: 'a strategy of another environment', values: { environment: 'development' }, want: MISSING },
  { what: 'a UUID that nothing has', values: { strategyId: '00000000-0000-0000-0000-000000000000' }, want: MISSING },
  { what: 'an id in other letters', values: { strategyId: 'ONE' }, want: MISSING },
];

const about = (parameter: string) => endpoints.filter(({ parameters }) => parameters.includes(parameter));
const cellsOf = (rows: readonly Row[], endpoint: Endpoint) =>
  rows.map((row) => ({
    what: row.what,
    endpoint,
    want: wanted(row, endpoint),
    spoilt: { values: row.values },
  }));

describe.each([
  ['featureName', ofFlags],
  ['environment', ofEnvironments],
  ['strategyId', ofStrategies],
] as const)(':%s', (parameter, rows) => {
  // An endpoint about a past time judges the time first: the flag may have existed then.
  const ofNow = about('projectId').filter(({ finds }) => finds !== 'no history');
  const having = ofNow.filter(({ parameters }) => parameters.includes(parameter));
  test.each(having)('$route', (endpoint) => table.expectAnswers(cellsOf(rows, endpoint)));
});

describe('the archive', () => {
  const withoutProject = about('featureName').filter(({ parameters }) => !parameters.includes('projectId'));
  const ofArchive = withoutProject.filter(({ route }) => route.includes('/archive/'));

  const ofTags = withoutProject.filter(({ route }) => route.includes('/tags'));

  test('the other endpoints that name a flag without its project serve archived flags too', () => {
    const others = withoutProject.filter((one) => !ofArchive.includes(one) && !ofTags.includes(one));
    expect(others.map(({ route }) => route)).toEqual([
      'GET /client-metrics/features/:featureName',
      'GET /client-metrics/features/:featureName/raw',
      'GET /events/:featureName',
    ]);
  });

  test.each(ofTags)('$route, a flag that is archived or written in another case: 404', (endpoint) =>
    table.expectAnswers(
      ['stowed', 'Living'].map((featureName) => {
        return { what: featureName, endpoint, want: MISSING, spoilt: { values: { featureName } } };
      }),
    ),
  );

  test.each(ofArchive)('$route, a flag that is not archived: 404', (endpoint) =>
    table.expectAnswers([
      { what: 'a living flag', endpoint, want: MISSING, spoilt: { values: { featureName: 'living' } } },
    ]),
  );

  test('every endpoint about a flag is in one of the tables', () => {
    const flags = about('featureName').length;
    expect(withoutProject.length + about('projectId').filter((one) => about('featureName').includes(one)).length).toBe(
      flags,
    );
  });
});
