/** Reads the export of one environment (`/api/admin/features-batch/export`) as a state document (ADR 52). */
import { isRecord, recordsIn } from '../../../model/json.ts';
import { isWireName } from '../../../schema/fields/shapes.ts';
import type { StateNote } from './state-doubts.ts';

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
  readonly unmapped: readonly StateNote[];
  /** The names of segments whose constraints are not in the export. */
  readonly withoutConstraints: ReadonlySet<string>;
}

/** `environment` applies to an export that names none, in a row that can be read. */
export function stateOfBatchExport(given: Row, environment: string): BatchExport {
  const { dependencies, contextFields, links, ...document } = given;
  const rows = recordsIn(document['featureEnvironments']);
  const only = rows.map((row) => row['environment']).find(isName) ?? environment;
  const parents = new Map(recordsIn(dependencies).map((row) => [row['feature'], row['dependencies']] as const));
  const segments = recordsIn(document['segments']);
  return {
    document: {
      ...document,
      version: 4,
      features: eachRecord(document['features'], (row) => withDependencies(row, parents.get(row['name']))),
      featureEnvironments: eachRecord(
        document['featureEnvironments'],
        ({ featureName, environment: place = only, enabled, variants, activeFrom, activeUntil }) => {
          return { featureName, environment: place, enabled, variants, activeFrom, activeUntil };
        },
      ),
      featureStrategies: eachRecord(
        document['featureStrategies'],
        ({ name, strategyName, environment: place, ...row }) => {
          return { ...row, strategyName: strategyName ?? name, environment: place ?? only };
        },
      ),
      segments: eachRecord(document['segments'], (row) => ({ constraints: [], ...row })),
    },
    unmapped: [
      ...recordsIn(contextFields).flatMap((value, index): readonly StateNote[] => {
        if (BUILT_IN_FIELDS.has(value['name'])) return [];
        const advice =
          'Constraints may name any field, and stay. For lists and legal values, set VEXIL_CONTEXT_FIELDS.';
        return [{ path: `contextFields[${index}]`, value, advice, isNote: true }];
      }),
      ...recordsIn(links).map((value, index) => ({
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

/** Rows that are no objects stay, so that they are refused and the others keep their places. */
function eachRecord(list: unknown, of: (row: Row) => Row): readonly unknown[] {
  return Array.isArray(list) ? list.map((row: unknown) => (isRecord(row) ? of(row) : row)) : [];
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && isWireName(value);
}

function withDependencies(flag: Row, dependencies: unknown): Row {
  if (dependencies === undefined) return flag;
  const list = recordsIn(dependencies).map(({ feature, enabled, variants }) => ({ feature, enabled, variants }));
  return { ...flag, dependencies: list };
}

/** The rows of an export as configuration of this environment. */
export function inEnvironment({ featureEnvironments, featureStrategies, ...rest }: Row, environment: string): Row {
  const moved = (row: Row) => ({ ...row, environment });
  return {
    ...rest,
    featureEnvironments: Array.isArray(featureEnvironments)
      ? eachRecord(featureEnvironments, moved)
      : featureEnvironments,
    featureStrategies: eachRecord(featureStrategies, moved),
  };
}
