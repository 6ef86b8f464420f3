/** Unwraps the body of an import into one environment (`/api/admin/features-batch/import`). */
import { isRecord } from '../../../src/model/json.ts';
import { inEnvironment } from '../../../src/wire/admin/state/batch-document.ts';
import type { ImportOptions } from '../imported.ts';
import type { Given } from '../rules/records.ts';

interface Unwrapped {
  readonly document: Given;
  readonly options: ImportOptions;
}

/** The export in `data` becomes configuration of the environment and the project that the body names. */
export function unwrapped(given: Given, options: ImportOptions): Unwrapped {
  const { data, environment, project } = given;
  if (!isRecord(data) || typeof environment !== 'string') return { document: given, options };
  const document = inEnvironment(data, environment);
  const named = typeof project === 'string' ? project : undefined;
  return { document, options: { environment, project: options.project ?? named } };
}
