/** The export of flags of one environment, as Unleash 5 and later have it. */
import { z } from 'zod';
import type { State } from '../../../domain/state/exported-state.ts';
import { isRecord } from '../../../model/json.ts';
import { wireDependency } from '../flag/dependency.ts';
import { wireWindow } from '../flag/rollout.ts';
import { wireStrategy } from '../flag/strategy.ts';
import { wireVariant } from '../flag/variant.ts';
import { stateSections } from './state-document.ts';

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
    error: 'must have features, tag or project',
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

/** The sections of the state, in which only the environment counts. The rows are made when they are read, once. */
export function presentBatch(state: State, environment: string): z.input<typeof wireBatch> {
  const sections = new Map<string, Iterable<readonly unknown[]>>(stateSections({ ...state, only: environment }));
  const used = new Set<unknown>();
  const dependencies: Row[] = [];
  function* rows(section: string, present: (row: Row) => Row = (row) => row): Iterable<Row> {
    for (const items of sections.get(section) ?? []) for (const item of items) if (isRecord(item)) yield present(item);
  }
  function* usedSegments(): Iterable<Row> {
    for (const { id, name } of rows('segments')) if (used.has(id)) yield { id, name };
  }
  const batch = {
    features: rows('features', (flag) => {
      const { name, description, type, project, stale, impressionData } = flag;
      if (Array.isArray(flag['dependencies']) && flag['dependencies'].length > 0)
        dependencies.push({ feature: name, dependencies: flag['dependencies'] });
      return { name, description, type, project, stale, impressionData, archived: false };
    }),
    featureStrategies: rows('featureStrategies', (row) => {
      const { projectId: _project, environment: _environment, strategyName, ...rest } = row;
      for (const id of Reflect.get(rest, 'segments') as readonly unknown[]) used.add(id);
      return { ...rest, name: strategyName };
    }),
    featureEnvironments: rows('featureEnvironments', (row) => ({ ...row, name: row['featureName'] })),
    contextFields: [],
    featureTags: rows('featureTags'),
    // The members are read in their order: by now the rows have said what is used, and what flags depend on.
    segments: usedSegments(),
    tagTypes: rows('tagTypes'),
    dependencies,
  };
  // The shape is that of the sections of the state.
  return batch as unknown as z.input<typeof wireBatch>;
}
