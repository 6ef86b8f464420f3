/** A flag of another product, with its rules, as an object of Vexil. */
import { DEFAULT_PROJECT } from '../../../src/domain/identity/names.ts';
import { recordOf } from '../../../src/model/json.ts';
import type { FlagEnvironment, FlagSpec } from '../../../src/schema/feature-flag.ts';
import type { ImportedObject } from '../imported.ts';
import { lost, type Unmapped } from '../unmapped.ts';
import { textOf } from './records.ts';

interface FlagGiven {
  readonly name: string;
  readonly project: string | undefined;
  readonly description?: unknown;
  readonly environments: Readonly<Record<string, FlagEnvironment>>;
}

export function flagObject(
  { name, project = DEFAULT_PROJECT, description, environments }: FlagGiven,
  more: Partial<FlagSpec> = {},
): ImportedObject<'flags'> {
  const text = textOf(description);
  const spec = {
    ...(project !== DEFAULT_PROJECT && { project }),
    ...(text !== undefined && { description: text }),
    ...more,
    environments,
  };
  return { kind: 'flags', name, spec };
}

/** Metadata that Vexil does not have, if there is any. */
export function metadataLoss(value: unknown, path: readonly string[]): readonly Unmapped[] {
  if (Object.keys(recordOf(value)).length === 0) return [];
  return [lost([...path, 'metadata'], value, METADATA)];
}

const METADATA = 'Vexil has no metadata of its own. Use labels of the object, or tags of the flag.';
