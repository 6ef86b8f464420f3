/** The writes of an import plan, in stages: objects that a flag refers to come before the flag. */
import type { Writable } from '../access/authorization/authorized-writes.ts';
import { type Named, wireNameOf } from '../domain/identity/names.ts';
import type { PlannedFlag, StatePlan } from '../domain/state/plan.ts';
import { strategyTypeSpec } from '../domain/state/state-strategy-types.ts';
import { type At, aboutFlag } from '../domain/state/wanted.ts';
import { Refusal } from '../errors.ts';
import { ignoreNotFound } from '../kube/api/errors.ts';
import type { CustomObject } from '../model/object.ts';
import type { FeatureFlag } from '../schema/feature-flag.ts';
import type { Project } from '../schema/project.ts';
import { createFlag } from './create-flag.ts';
import { createProjectOrFind } from './create-project.ts';
import { createSegmentOrFind } from './create-segment.ts';
import { createUnderFreeName } from './create-under-free-name.ts';
import type { Services } from './services.ts';

interface WriteOptions {
  readonly dryRun: boolean;
}

export interface StateWrite {
  /** For messages: the part of the document that requests the write, or the object of the write. */
  readonly what: string;
  /** The keys of that part in the document. */
  readonly at?: At;
  run(options: WriteOptions): Promise<unknown>;
}

/** Writes that may run in any order, after those of earlier stages. */
export type ImportStage = readonly StateWrite[];

export function stagesOf(services: Services, plan: StatePlan): readonly ImportStage[] {
  const { strategyTypes, segments, flags } = plan;
  const { home: namespace } = services;
  const created = new Map<string, Project>();
  return [
    plan.environments.map(({ at, name: wireName, spec }) =>
      itemWrite(at, (options) => createUnderFreeName(services.environments, { namespace, wireName, spec, ...options })),
    ),
    plan.projects.map(({ at, name: wireName, spec }) =>
      itemWrite(at, async (options) => {
        const { object } = await createProjectOrFind(services, { wireName, spec, ...options });
        created.set(wireName, object);
      }),
    ),
    [
      ...strategyTypes.created.map((type) => {
        const newResource = { namespace, wireName: type.name, spec: strategyTypeSpec(type) };
        return itemWrite(type.at, (options) =>
          createUnderFreeName(services.strategyTypes, { ...newResource, ...options }),
        );
      }),
      ...strategyTypes.changed.map(({ at, object, edit }) =>
        itemWrite(at, (options) => services.strategyTypes.change(object.metadata, edit, options)),
      ),
    ],
    [
      ...segments.created.map(({ at, name: wireName, spec }) =>
        itemWrite(at, (options) =>
          createSegmentOrFind(services, {
            namespace: namespaceFor(services, spec.project),
            wireName,
            spec,
            ...options,
          }),
        ),
      ),
      ...segments.changed.map(({ at, object, edit }) =>
        itemWrite(at, (options) => services.segments.change(object.metadata, edit, options)),
      ),
    ],
    [
      ...flags.created.map((flag) => flagWrite(flag, (options) => createOne(services, flag, { ...options, created }))),
      ...flags.changed.map(({ at, object, edit }) =>
        flagWrite({ at, name: wireNameOf(object) }, (options) => services.flags.change(object.metadata, edit, options)),
      ),
    ],
    flags.deleted.map((flag) => deletionOf('flag', flag, services.flags)),
    [
      ...strategyTypes.deleted.map((type) => deletionOf('strategy type', type, services.strategyTypes)),
      ...segments.deleted.map((segment) => deletionOf('segment', segment, services.segments)),
    ],
  ];
}

/** A project of the document is created in the operator namespace. */
function namespaceFor({ catalog, home }: Services, project: string | undefined): string {
  return (project === undefined ? undefined : catalog.project(project)?.metadata.namespace) ?? home;
}

/** The write of an item of the document. */
function itemWrite([section = '', index = '']: At, run: StateWrite['run']): StateWrite {
  return { what: `\`${section}[${index}]\``, at: [section, index], run };
}

function flagWrite({ at, name }: Pick<PlannedFlag, 'at' | 'name'>, run: StateWrite['run']): StateWrite {
  const write = itemWrite(at, run);
  return { ...write, what: `${write.what} (${aboutFlag(name)})` };
}

async function createOne(
  services: Services,
  { name: wireName, project: id, spec }: PlannedFlag,
  { dryRun, created }: WriteOptions & { readonly created: ReadonlyMap<string, Project> },
): Promise<FeatureFlag> {
  const project = services.catalog.project(id) ?? created.get(id);
  if (!project) throw new Refusal('conflict', `The project "${id}" was deleted just now.`);
  return createFlag(services, { project, wireName, spec, dryRun });
}

/** A manager that owns fields of an object would recreate it, so a deletion needs ownership of all fields. */
function deletionOf<S, T>(kind: string, object: CustomObject<S, T> & Named, writer: Writable<S, T>): StateWrite {
  return {
    what: `the ${kind} "${wireNameOf(object)}"`,
    run: ({ dryRun }) => writer.delete(object, { dryRun, expect: writer.takeWhole }).catch(ignoreNotFound),
  };
}
