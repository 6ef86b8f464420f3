/** The export of flags of one environment, as Unleash 5 and later have it. */
import { z } from 'zod';
import type { State } from '../../../domain/state/exported-state.ts';
import { isRecord } from '../../../model/json.ts';
import { wireDependency } from '../flag/dependency.ts';
import { wireWindow } from '../flag/rollout.ts';
import { wireStrategy } from '../flag/strategy.ts';
import { wireVariant } from '../flag/variant.ts';
import { stateSections } from './state-document.ts';
import type { Pause } from './state-rows.ts';

const name = z.string().max(100);

export const batchExportBody = z
  .object({
    environment: name,
    features: z.array(name).max(5000).optional().meta({ description: 'Names of flags; an empty list: all.' }),
    tag: z.string().max(200).optional().meta({ description: 'The value of a tag, or `type:value`.' }),
    project: name.optional().meta({ description: 'All flags of the project.' }),
    downloadFile: z.boolean().nullable().optional(),
  })
  .refine(({ features, tag, project }) => (features ?? tag ?? project) !== undefined, {
    error: 'must have features, tag or project.',
  })
  .meta({
    id: 'BatchExport',
    description:
      'Flags of one environment. A body must have features, tag or project. The first of them that it has counts.',
    examples: [{ environment: 'development', features: ['one-page-checkout'] }],
  });
export type BatchExportBody = z.output<typeof batchExportBody>;

const row = z.object({ featureName: z.string() });

export const wireBatch = z
  .object({
    features: z.array(
      z.object({
        name: z.string(),
        description: z.string().nullable(),
        type: z.string(),
        project: z.string(),
        stale: z.boolean(),
        impressionData: z.boolean(),
        archived: z.literal(false),
      }),
    ),
    featureStrategies: z.array(row.extend(wireStrategy.shape)),
    featureEnvironments: z.array(
      row.extend({
        name: z.string(),
        environment: z.string(),
        enabled: z.boolean(),
        variants: z.array(wireVariant),
        ...wireWindow,
      }),
    ),
    contextFields: z.array(z.unknown()),
    featureTags: z.array(row.extend({ tagType: z.string(), tagValue: z.string() })),
    segments: z.array(z.object({ id: z.int(), name: z.string() })),
    tagTypes: z.array(z.object({ name: z.string(), description: z.string(), icon: z.string() })),
    dependencies: z.array(z.object({ feature: z.string(), dependencies: z.array(wireDependency) })),
  })
  .meta({ id: 'Batch', description: 'Flags with their configuration in one environment.' });

type Row = Readonly<Record<string, unknown>>;

/** The sections of the state, in which only the environment counts. */
export async function presentBatch(
  state: State,
  environment: string,
  pause: Pause,
): Promise<z.input<typeof wireBatch>> {
  const sections = new Map<string, readonly Row[]>();
  for (const [section, groups] of stateSections({ ...state, only: environment })) {
    const found: Row[] = [];
    sections.set(section, found);
    for (const items of groups) {
      found.push(...items.filter(isRecord));
      const turn = pause();
      if (turn !== undefined) await turn;
    }
  }
  const rows = (section: string): readonly Row[] => sections.get(section) ?? [];
  const features = rows('features');
  const featureStrategies = rows('featureStrategies').map(
    ({ projectId: _project, environment: _environment, strategyName, ...rest }) => ({ ...rest, name: strategyName }),
  );
  const used = new Set(featureStrategies.flatMap((one) => Reflect.get(one, 'segments') as readonly unknown[]));
  const batch = {
    features: features.map(({ name, description, type, project, stale, impressionData }) => {
      return { name, description, type, project, stale, impressionData, archived: false };
    }),
    featureStrategies,
    featureEnvironments: rows('featureEnvironments').map((one) => ({ ...one, name: one['featureName'] })),
    contextFields: [],
    featureTags: rows('featureTags'),
    segments: rows('segments').flatMap(({ id, name }) => (used.has(id) ? [{ id, name }] : [])),
    tagTypes: rows('tagTypes'),
    dependencies: features.flatMap(({ name, dependencies }) =>
      Array.isArray(dependencies) && dependencies.length > 0 ? [{ feature: name, dependencies }] : [],
    ),
  };
  // The shape is that of the sections of the state.
  return batch as unknown as z.input<typeof wireBatch>;
}
