/** Where a flag is on: the same answer in every API, for every state of a flag and the objects it depends on. */
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { effectOf } from '../../src/domain/flag/effect.ts';
import { environmentsOfProject, type FlagContext } from '../../src/domain/flag/flag-context.ts';
import { judgeFlag } from '../../src/domain/flag/judge/judge-flag.ts';
import { wireNameOf } from '../../src/domain/identity/names.ts';
import { strategyTypesOf } from '../../src/domain/strategy-type/strategy-types.ts';
import { parseObject } from '../../src/kube/object/parse-object.ts';
import { environment as environmentKind } from '../../src/schema/environment.ts';
import { featureFlag } from '../../src/schema/feature-flag.ts';
import { project as projectKind } from '../../src/schema/project.ts';
import { aFlag } from '../support/builders.ts';
import {
  archives,
  combinations,
  environments,
  type FlagState,
  isOn,
  problemsOf,
  projects,
  type StateWorld,
  specOfState,
  stateWorlds,
  strategySets,
  switches,
} from '../support/flag-states.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import type { Stored } from '../support/stored.ts';

/** Each place of a flag that is on; each configuration where it counts; and some flags with several problems. */
const listed: readonly FlagState[] = [
  combinations({ project: projects, environment: environments }),
  combinations({ strategies: Object.keys(strategySets) }),
  combinations({ project: ['listing'], environment: ['asleep'], strategies: Object.keys(strategySets) }),
  combinations({ strategies: ['active', 'none'], position: Object.keys(switches) }),
  combinations({ archive: ['archived'], strategies: ['active', 'mixed'] }),
  combinations({ project: ['nowhere'], environment: ['moon'], archive: ['archived'] }),
  combinations({ project: ['nowhere'], environment: ['moon'], strategies: ['unknown', 'disabled'] }),
  combinations({ project: ['elsewhere'], strategies: ['none', 'mixed'], position: ['on', 'off'] }),
].flat();
const cases = [...new Map(listed.map((one) => [one.name, one])).values()];

/** The flags that the admin API serves below a project. */
const servedIn = ({ projects: there }: StateWorld) =>
  cases.filter(({ project, archive }) => there.includes(project) && archive === 'kept');

/** Makes a report for each flag of a list. */
const byName = <T>(list: readonly FlagState[], report: (one: FlagState) => T): Record<string, T> =>
  Object.fromEntries(list.map((one) => [one.name, report(one)]));

const NOT_ANSWERED = 'the environment is not answered';

/** Whether a flag is on in its environment, as an answer says it. */
const enabledIn = (list: readonly { name: string; enabled: boolean }[], name: string) =>
  list.find((one) => one.name === name)?.enabled ?? NOT_ANSWERED;

/** The expected answer for a flag among the environments of its project. */
const wantedIn = (world: StateWorld) => (one: FlagState) =>
  world.used[one.project]?.includes(one.environment) ? isOn(world, one) : NOT_ANSWERED;

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance('effective-state');
});
afterAll(() => instance.stop());

const list = async (kind: string): Promise<readonly Stored[]> =>
  (await instance.cluster.getObject(kind, instance.home)).items;

/** Makes a report for each flag of the table. */
const storyOfEach = async <T>(report: (flag: Stored, one: FlagState) => T) => {
  const stored = new Map((await list('featureflags')).map((flag) => [flag.metadata.name, flag]));
  return byName(cases, (one) => report(stored.get(one.name), one));
};

/** Rows of the table that kubectl prints, by the titles of its columns; a column begins where its title does. */
const columns = async (): Promise<readonly Readonly<Record<string, string>>[]> => {
  const { home, cluster } = instance;
  const [head = '', ...lines] = (await cluster.kubectlOrThrow(['get', 'ff', '-n', home])).trimEnd().split('\n');
  const titles = [...head.matchAll(/\S+/g)].map(({ 0: title, index }) => ({ title, index }));
  return lines.map((line) =>
    Object.fromEntries(titles.map(({ title, index }, at) => [title, line.slice(index, titles[at + 1]?.index).trim()])),
  );
};

/** What surrounds the flags, from what is stored. */
const flagContext = async (): Promise<(project: string) => FlagContext> => {
  const parsed = (await list('environments')).map((one) => parseObject(environmentKind, one));
  const everyEnvironment = new Map(parsed.map((one) => [wireNameOf(one), one]));
  const there = (await list('projects')).map((one) => parseObject(projectKind, one));
  return (id) => {
    const project = there.find((one) => wireNameOf(one) === id);
    const used = project ? environmentsOfProject(project, everyEnvironment) : [];
    return { project, environments: used, everyEnvironment, strategyTypes: strategyTypesOf([]) };
  };
};

test('the table has each value of each axis, and the rule has cases of both results', () => {
  const used = (axis: keyof FlagState) => new Set(cases.map((one) => one[axis]));
  expect(used('project')).toEqual(new Set(projects));
  expect(used('environment')).toEqual(new Set(environments));
  expect(used('strategies')).toEqual(new Set(Object.keys(strategySets)));
  expect(used('position')).toEqual(new Set(Object.keys(switches)));
  expect(used('archive')).toEqual(new Set(Object.keys(archives)));
  const [before, after] = Object.values(stateWorlds).map((world) => cases.filter((one) => isOn(world, one)));
  expect(before?.map(({ name }) => name).toSorted()).toEqual([
    'listing-asleep-active-on-kept',
    'listing-asleep-both-on-kept',
    'listing-production-active-on-kept',
    'shop-production-active-on-kept',
    'shop-production-both-on-kept',
  ]);
  expect(after).toHaveLength(3 * 3 + 2);
});

const flags = () => cases.map((one) => aFlag(`${instance.home}/${one.name}`, specOfState(one)));

describe.each(Object.entries(stateWorlds))('%s', (_, world) => {
  beforeAll(async () => {
    await instance.apply(...world.arrivals(instance.home));
    if (world === Object.values(stateWorlds)[0]) await instance.apply(...flags());
  });

  test('.status shows where each flag is on, whether all of it is in effect, and if not, every problem', async () => {
    const recorded = () =>
      storyOfEach(({ status }, { environment }) => ({
        enabled: status.environments[environment].enabled,
        enabledIn: status.enabledIn ?? 'nowhere',
        ready: status.conditions.find(({ type }: { type: string }) => type === 'Ready').status,
        problems: (status.problems ?? []).map(({ reason }: { reason: string }) => reason).toSorted(),
      }));
    const wanted = byName(cases, (one) => {
      const problems = problemsOf(world, one).toSorted();
      return {
        enabled: isOn(world, one),
        enabledIn: isOn(world, one) ? one.environment : 'nowhere',
        ready: problems.length === 0 ? 'True' : 'False',
        problems,
      };
    });
    await expect.poll(recorded).toEqual(wanted);
  });

  test('.status has, field by field, the result of the pure judgement of the flag and its dependencies', async () => {
    const around = await flagContext();
    const different = async () => {
      const pairs = await storyOfEach((stored, { project }) => {
        const flag = parseObject(featureFlag, stored);
        const effect = effectOf(flag, around(project));
        const { status } = judgeFlag({ flag, flagContext: around(project), effect }, Date.now());
        return { stored: flag.status, judged: status };
      });
      return Object.entries(pairs).filter(([, { stored, judged }]) => !isDeepStrictEqual(stored, judged));
    };
    await expect.poll(different).toEqual([]);
  });

  test('kubectl get ff prints the state in the columns ENABLED and READY', async () => {
    const printed = async () =>
      Object.fromEntries((await columns()).map(({ NAME, ENABLED, READY }) => [NAME, [ENABLED, READY]]));
    const wanted = byName(cases, (one) => [
      isOn(world, one) ? one.environment : '',
      problemsOf(world, one).length === 0 ? 'True' : 'False',
    ]);
    await expect.poll(printed).toEqual(wanted);
  });

  test('GET of each flag shows the state in its environment, if the project uses it', async () => {
    const answers = await Promise.all(
      servedIn(world).map(async ({ name, project, environment }) => {
        const { body } = await instance.call(`GET /projects/${project}/features/${name}`);
        return [name, enabledIn(body.environments, environment)];
      }),
    );
    expect(Object.fromEntries(answers)).toEqual(byName(servedIn(world), wantedIn(world)));
  });

  test('GET of each flag in its environment shows the state, and 404 if the project does not use it', async () => {
    const answers = await Promise.all(
      servedIn(world).map(async ({ name, project, environment }) => {
        const { status, body } = await instance.call(
          `GET /projects/${project}/features/${name}/environments/${environment}`,
        );
        return [name, status === 404 ? NOT_ANSWERED : body.enabled];
      }),
    );
    expect(Object.fromEntries(answers)).toEqual(byName(servedIn(world), wantedIn(world)));
  });

  test.each(['', '/features'])(
    'GET /projects/:projectId%s shows the state in the summary of each flag',
    async (rest) => {
      const recorded: Record<string, unknown> = {};
      for (const project of world.projects) {
        const { body } = await instance.call(`GET /projects/${project}${rest}`);
        for (const { name, environments: shown } of body.features) {
          const environment = cases.find((one) => one.name === name)?.environment ?? '';
          recorded[name] = enabledIn(shown, environment);
        }
      }
      expect(recorded).toEqual(byName(servedIn(world), wantedIn(world)));
    },
  );

  test('archived flags, and flags of a missing project, are not served at all', async () => {
    const hidden = cases.filter((one) => !servedIn(world).includes(one));
    const answers = await Promise.all(
      hidden.map(({ name, project }) => instance.call(`GET /projects/${project}/features/${name}`)),
    );
    expect([...new Set(answers.map(({ status }) => status))]).toEqual([404]);
  });

  test('enabledToggleCount of each environment counts the flags that are on in it, in answers and in .status', async () => {
    const wanted = Object.fromEntries(
      ['development', ...world.environments].map((name) => [
        name,
        cases.filter((one) => one.environment === name && isOn(world, one)).length,
      ]),
    );
    const { body } = await instance.call('GET /environments');
    const answered = body.environments.map((one: Stored) => [one.name, one.enabledToggleCount]);
    expect(Object.fromEntries(answered)).toEqual(wanted);
    const counted = async () =>
      Object.fromEntries(
        (await list('environments')).map(({ metadata, status }) => [metadata.name, status.enabledToggleCount]),
      );
    await expect.poll(counted).toEqual(wanted);
  });
});
