/** Where a flag is on and which problems it has, in every combination of its state and of the objects around it. */
import { expect, test } from 'vitest';
import { effectOf } from '../../../../src/domain/flag/effect.ts';
import { environmentsOfProject, type FlagContext } from '../../../../src/domain/flag/flag-context.ts';
import { judgeFlag } from '../../../../src/domain/flag/judge/judge-flag.ts';
import { wireNameOf } from '../../../../src/domain/identity/names.ts';
import { strategyTypesOf } from '../../../../src/domain/strategy-type/strategy-types.ts';
import { anEnvironment, aProject, type Manifest } from '../../../support/builders.ts';
import {
  archives,
  combinations,
  environments,
  isOn,
  problemsOf,
  projects,
  specOfState,
  stateWorlds,
  strategySets,
  switches,
} from '../../../support/flag-states.ts';
import { environmentObject, flagObject, projectObject } from '../objects.ts';

const cases = combinations({
  project: projects,
  environment: environments,
  strategies: Object.keys(strategySets),
  position: Object.keys(switches),
  archive: Object.keys(archives),
});

const initial = [anEnvironment('home/production'), anEnvironment('home/development'), aProject('home/shop')];

function contextFrom(manifests: readonly Manifest[]): (project: string) => FlagContext {
  const named = [...new Map(manifests.map((one) => [`${one.kind} ${one.metadata.name}`, one])).values()];
  const of = (kind: string) => named.filter((one) => one.kind === kind);
  const everyEnvironment = new Map(
    of('Environment').map(({ metadata, spec }) => {
      const one = environmentObject(`home/${metadata.name}`, spec);
      return [wireNameOf(one), one];
    }),
  );
  const there = of('Project').map(({ metadata, spec }) => projectObject(`home/${metadata.name}`, spec));
  return (id) => {
    const project = there.find((one) => wireNameOf(one) === id);
    const used = project ? environmentsOfProject(project, everyEnvironment) : [];
    return { project, environments: used, everyEnvironment, strategyTypes: strategyTypesOf([]) };
  };
}

const worlds = Object.entries(stateWorlds).map(([name, world], index, all) => {
  const before = all.slice(0, index + 1).flatMap(([, { arrivals }]) => arrivals('home'));
  return { name, world, around: contextFrom([...initial, ...before]) };
});

test.each(worlds)('$name', ({ world, around }) => {
  const judged = cases.map((one) => {
    const flag = flagObject(`home/${one.name}`, specOfState(one));
    const flagContext = around(one.project);
    const { status } = judgeFlag({ flag, flagContext, effect: effectOf(flag, flagContext) }, 0);
    const problems = (status.problems ?? []).map(({ reason }) => reason).toSorted();
    return [one.name, { enabledIn: status.enabledIn, ready: status.conditions?.[0]?.status, problems }];
  });
  const wanted = cases.map((one) => {
    const problems = problemsOf(world, one).toSorted();
    const enabledIn = isOn(world, one) ? one.environment : undefined;
    return [one.name, { enabledIn, ready: problems.length === 0 ? 'True' : 'False', problems }];
  });
  expect(Object.fromEntries(judged)).toEqual(Object.fromEntries(wanted));
});
