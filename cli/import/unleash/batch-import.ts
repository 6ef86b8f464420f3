/** Unwraps the body of an import into one environment (`/api/admin/features-batch/import`). */
import { isRecord } from '../../../src/model/json.ts';
import type { ImportOptions } from '../imported.ts';

type Given = Readonly<Record<string, unknown>>;

interface Unwrapped {
  readonly document: Given;
  readonly options: ImportOptions;
}

/** The export in `data` becomes configuration of the environment and the project that the body names. */
export function unwrapped(given: Given, options: ImportOptions): Unwrapped {
  const { data, environment, project } = given;
  if (!isRecord(data) || typeof environment !== 'string') return { document: given, options };
  const { featureEnvironments, featureStrategies, ...rest } = data;
  const document = {
    ...rest,
    featureEnvironments: inEnvironment(environment, featureEnvironments),
    featureStrategies: inEnvironment(environment, featureStrategies),
  };
  const named = typeof project === 'string' ? project : undefined;
  return { document, options: { environment, project: options.project ?? named } };
}

function inEnvironment(environment: string, rows: unknown): unknown {
  return Array.isArray(rows) ? rows.map((row) => (isRecord(row) ? { ...row, environment } : row)) : rows;
}
