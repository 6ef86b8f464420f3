/** Reads the export of one environment (`/api/admin/features-batch/export`) as a state document (ADR 52). */
import { isRecord } from '../../../src/model/json.ts';
import type { Unmapped } from '../unmapped.ts';

type Row = Readonly<Record<string, unknown>>;

/** Every Unleash has these context fields from the start, or writes them itself. */
const BUILT_IN_FIELDS: ReadonlySet<unknown> = new Set([
  ...['appName', 'currentTime', 'environment', 'properties', 'remoteAddress', 'sessionId', 'userId'],
]);

/**
 * A batch export has no version, and lists the state of flags in environments, unlike version 1 of the state document.
 */
export function isBatchExport(document: Row): boolean {
  return document['version'] === undefined && Array.isArray(document['featureEnvironments']);
}

export interface BatchExport {
  readonly document: Record<string, unknown>;
  readonly unmapped: readonly Unmapped[];
  /** The names of segments whose constraints are not in the export. */
  readonly withoutConstraints: ReadonlySet<string>;
}

/** `environment` applies to an export that names none. */
export function stateOfBatchExport(given: Row, environment: string): BatchExport {
  const { dependencies, contextFields, links, ...document } = given;
  const rows = rowsOf(document['featureEnvironments']);
  const [first] = new Set(rows.map((row) => row['environment']));
  const only = typeof first === 'string' ? first : environment;
  const parents = new Map(rowsOf(dependencies).map((row) => [row['feature'], row['dependencies']] as const));
  const segments = rowsOf(document['segments']);
  return {
    document: {
      ...document,
      version: 4,
      features: rowsOf(document['features']).map((row) => withDependencies(row, parents.get(row['name']))),
      featureEnvironments: rows.map(({ featureName, environment: place = only, enabled, variants }) => {
        return { featureName, environment: place, enabled, variants };
      }),
      featureStrategies: rowsOf(document['featureStrategies']).map(
        ({ name, strategyName, environment: place, ...row }) => {
          return { ...row, strategyName: strategyName ?? name, environment: place ?? only };
        },
      ),
      segments: segments.map((row) => ({ constraints: [], ...row })),
    },
    unmapped: [
      ...rowsOf(contextFields).flatMap((value, index): readonly Unmapped[] => {
        if (BUILT_IN_FIELDS.has(value['name'])) return [];
        const advice = 'Vexil has no list of context fields: any field can be used. Constraints on it stay.';
        return [{ path: `contextFields[${index}]`, value, advice, isNote: true }];
      }),
      ...rowsOf(links).map((value, index) => ({
        path: `links[${index}]`,
        value,
        advice: 'Flags have no links. Add them to the description of the flag.',
      })),
    ],
    withoutConstraints: new Set(
      segments.flatMap(({ name, constraints }) =>
        constraints === undefined && typeof name === 'string' ? [name] : [],
      ),
    ),
  };
}

function withDependencies(feature: Row, dependencies: unknown): Row {
  if (dependencies === undefined) return feature;
  const list = rowsOf(dependencies).map(({ feature: name, enabled, variants }) => ({
    feature: name,
    enabled,
    variants,
  }));
  return { ...feature, dependencies: list };
}

/** Skips items that are no objects. */
function rowsOf(list: unknown): readonly Row[] {
  return Array.isArray(list) ? list.filter(isRecord) : [];
}
