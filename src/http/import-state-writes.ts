/** The writes that a plan of an import amounts to: what a flag names is there before the flag. */
import { wireNameOf } from '../domain/names.ts';
import type { NewFlag, StatePlan } from '../domain/state-plan.ts';
import { strategyTypeSpec } from '../domain/state-strategy-types.ts';
import type { At } from '../domain/state-wanted.ts';
import { AppError } from '../errors.ts';
import type { FeatureFlag } from '../schema/feature-flag.ts';
import type { Project } from '../schema/project.ts';
import type { StrategyDefinition } from '../schema/strategy-definition.ts';
import { createFlag } from './create-flag.ts';
import { createProjectOrFind } from './create-project.ts';
import { createUnderFreeName } from './create-under-free-name.ts';
import type { Services } from './route.ts';

interface HowToWrite {
  readonly dryRun: boolean;
}

export interface StateWrite {
  /** For messages: the part of the document that asks for it, or what it is done to. */
  readonly what: string;
  /** Of that part in the request. */
  readonly path?: string;
  run(how: HowToWrite): Promise<unknown>;
}

/** Writes that may be done in any order, after those of the stages before. */
export type Stage = readonly StateWrite[];

export function stagesOf(services: Services, plan: StatePlan): readonly Stage[] {
  const { strategyTypes, flags } = plan;
  const { home: namespace } = services;
  const born = new Map<string, Project>();
  return [
    plan.environments.map(({ at, name: wireName, spec }) =>
      asked(at, (how) => createUnderFreeName(services.environments, { namespace, wireName, spec, ...how })),
    ),
    plan.projects.map(({ at, name: wireName, spec }) =>
      asked(at, async (how) => {
        const { object } = await createProjectOrFind(services, { wireName, spec, ...how });
        born.set(wireName, object);
      }),
    ),
    [
      ...strategyTypes.created.map((type) => {
        const unborn = { namespace, wireName: type.name, spec: strategyTypeSpec(type) };
        return asked(type.at, (how) => createUnderFreeName(services.strategyTypes, { ...unborn, ...how }));
      }),
      ...strategyTypes.changed.map(({ at, object, edit }) =>
        asked(at, (how) => services.strategyTypes.change(object.metadata, edit, how)),
      ),
    ],
    [
      ...flags.created.map((flag) => asked(flag.at, (how) => createOne(services, flag, { ...how, born }))),
      ...flags.changed.map(({ at, object, edit }) =>
        asked(at, (how) => services.flags.change(object.metadata, edit, how)),
      ),
    ],
    flags.deleted.map((flag) => deletionOfFlag(services, flag)),
    strategyTypes.deleted.map((definition) => deletionOfType(services, definition)),
  ];
}

/** An item of a section of the document. */
function asked([section = '', index = '']: At, run: StateWrite['run']): StateWrite {
  return { what: `\`${section}[${index}]\``, path: `/body/${section}/${index}`, run };
}

async function createOne(
  services: Services,
  { name: wireName, project: id, spec }: NewFlag,
  { dryRun, born }: HowToWrite & { readonly born: ReadonlyMap<string, Project> },
): Promise<FeatureFlag> {
  const project = services.catalog.project(id) ?? born.get(id);
  if (!project) throw new AppError('conflict', `The project "${id}" was deleted just now.`);
  return createFlag(services, { project, wireName, spec, dryRun });
}

/** Who holds its fields would bring it back: so it is asked as if all of them were changed. */
function deletionOfFlag({ flags }: Services, flag: FeatureFlag): StateWrite {
  return {
    what: `the flag "${wireNameOf(flag)}"`,
    run: ({ dryRun }) => flags.delete(flag, { dryRun, expect: flags.takeWhole }).catch(unlessGone),
  };
}

function deletionOfType({ strategyTypes }: Services, definition: StrategyDefinition): StateWrite {
  return {
    what: `the strategy type "${wireNameOf(definition)}"`,
    run: ({ dryRun }) => strategyTypes.delete(definition, { dryRun }).catch(unlessGone),
  };
}

function unlessGone(error: unknown): void {
  if (!(error instanceof AppError) || error.code !== 'not-found') throw error;
}
