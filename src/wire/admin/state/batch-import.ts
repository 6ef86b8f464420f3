/** The import of flags into one environment of one project, as Unleash 5 and later have it. */
import { z } from 'zod';
import { recordsIn } from '../../../model/json.ts';
import { inEnvironment, stateOfBatchExport } from './batch-document.ts';
import { doubtState, type StateNote } from './state-doubts.ts';
import type { StateDocument } from './state-input.ts';
import { type Repair, repairState } from './state-repairs.ts';
import type { Pause } from './state-rows.ts';
import { addRows, parseStateDocument, piecesOf, type StateRows } from './state-sections.ts';

const rows = z.array(z.record(z.string(), z.unknown())).max(20_000);
const optional = rows.nullable().optional();

export const batchImportBody = z
  .object({
    project: z.string().max(100).meta({ description: 'The id of the project.' }),
    environment: z.string().max(100).meta({ description: 'An environment of the project.' }),
    data: z.object({
      features: rows,
      featureStrategies: rows,
      featureEnvironments: optional,
      contextFields: optional,
      featureTags: optional,
      segments: optional,
      tagTypes: optional,
      dependencies: optional,
    }),
  })
  .meta({
    id: 'BatchImport',
    description:
      'A batch export as `data`. Its own environment and project do not count. Unknown properties are dropped.',
    examples: [
      { project: 'shop', environment: 'production', data: { features: [{ name: 'beta' }], featureStrategies: [] } },
    ],
  });
export type BatchImportBody = z.output<typeof batchImportBody>;

const findings = z.array(z.object({ message: z.string(), affectedItems: z.array(z.string()) }));

export const wireBatchValidation = z
  .object({
    errors: findings.meta({ description: 'What an import would refuse.' }),
    warnings: findings.meta({ description: 'What an import overwrites, leaves out, or writes in another way.' }),
    permissions: z.array(z.unknown()).meta({ description: 'Always empty: a missing permission is 403.' }),
  })
  .meta({ id: 'BatchValidation', description: 'What an import into an environment does.' });
export type BatchValidation = z.output<typeof wireBatchValidation>;

export interface ReadBatch {
  readonly document: StateDocument;
  readonly notes: readonly StateNote[];
  readonly repairs: readonly Repair[];
}

interface BatchParts {
  /** Whether the flag is left out, as it is archived. */
  readonly isLeftOut: (flag: string) => boolean;
  readonly trustSwitches: boolean;
  readonly pause: Pause;
}

/** Returns the batch as a state document; throws everything that is wrong with its rows. */
export async function readBatch(
  { project, environment, data }: BatchImportBody,
  { isLeftOut, trustSwitches, pause }: BatchParts,
): Promise<ReadBatch> {
  const { document } = stateOfBatchExport(inEnvironment(withoutFlags(data, isLeftOut), environment), environment);
  const notes = await doubtState(document, { batch: { given: data, trustSwitches }, pause });
  const repairs = await repairState(document, pause);
  const features = recordsIn(document['features']).map((row) => ({ ...row, project }));
  // A new id for each strategy: those of the export may be the ids of strategies in another environment.
  const featureStrategies = recordsIn(document['featureStrategies']).map(({ id: _, ...row }) => row);
  const parts: StateRows[] = [];
  const read = parseStateDocument(piecesOf({ ...document, features, featureStrategies }), (part) => parts.push(part));
  for (const part of parts) addRows(read, part);
  return { document: read, notes, repairs };
}

type Row = Readonly<Record<string, unknown>>;

function withoutFlags(data: BatchImportBody['data'], isLeftOut: (flag: string) => boolean): Row {
  const isKept = (row: Row) => !isLeftOut(`${row['featureName'] ?? row['feature'] ?? row['name']}`);
  const { features, featureStrategies, featureEnvironments, featureTags, dependencies, segments } = data;
  return {
    segments: segments ?? [],
    features: features.filter(isKept),
    featureStrategies: featureStrategies.filter(isKept),
    featureEnvironments: (featureEnvironments ?? []).filter(isKept),
    featureTags: (featureTags ?? []).filter(isKept),
    ...(dependencies && { dependencies: dependencies.filter(isKept) }),
  };
}
