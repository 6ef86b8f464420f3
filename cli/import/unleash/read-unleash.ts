/** Reads an export of Unleash, of any version, into objects of Vexil. */

import { DEFAULT_PROJECT } from '../../../src/domain/identity/names.ts';
import { importFlag } from '../../../src/domain/state/state-flag.ts';
import { strategyTypeSpec } from '../../../src/domain/state/state-strategy-types.ts';
import type { WantedFlag, WantedState } from '../../../src/domain/state/wanted.ts';
import { isBuiltIn } from '../../../src/domain/strategy-type/strategy-types.ts';
import { isRefusal, type PropertyDetail } from '../../../src/errors.ts';
import { isRecord } from '../../../src/model/json.ts';
import { isBatchExport, stateOfBatchExport } from '../../../src/wire/admin/state/batch-document.ts';
import { rowName } from '../../../src/wire/admin/state/row-name.ts';
import { doubtState } from '../../../src/wire/admin/state/state-doubts.ts';
import { stateDocument } from '../../../src/wire/admin/state/state-input.ts';
import { readStateDocument } from '../../../src/wire/admin/state/state-reading.ts';
import { type Repair, repairState } from '../../../src/wire/admin/state/state-repairs.ts';
import { parse } from '../../../src/wire/parse-input.ts';
import { InputError } from '../../failure.ts';
import type { Imported, ImportedObject, ImportOptions } from '../imported.ts';
import { lost, type Unmapped } from '../unmapped.ts';
import { createPruning, type Pruning } from './prune.ts';
import { takeUnknownFields } from './unknown-fields.ts';

/** A document with more unmapped parts is not an export of Unleash. */
const MAX_UNMAPPED = 5000;

/** Throws an InputError if the document is not an export of Unleash. */
export async function readUnleash(
  given: Readonly<Record<string, unknown>>,
  { environment, project, trustSwitches = false }: ImportOptions,
): Promise<Imported> {
  const batch = isBatchExport(given) ? stateOfBatchExport(given, environment) : undefined;
  const document: Record<string, unknown> = structuredClone(batch?.document ?? { ...given });
  const unknown = takeUnknownFields(document);
  const pause = () => undefined;
  const doubts = await doubtState(document, { batch: batch && { given, trustSwitches }, pause });
  const repairs = await repairState(document, pause);
  const named = placeNames(document);
  const pruning = createPruning(document);
  const wanted = await readPruned(document, pruning, inlineEnvironment(document, environment));
  const objects = objectsOf(wanted, project).filter(
    ({ kind, name }) => kind !== 'segments' || batch?.withoutConstraints.has(name) !== true,
  );
  const unmapped = [...unknown, ...repairs.map(unmappedOf), ...pruning.unmapped].map(named);
  return { objects, unmapped: [...(batch?.unmapped ?? []), ...doubts, ...unmapped] };
}

function unmappedOf({ at, value, done, isNote }: Repair): Unmapped {
  return { ...lost(at, value, `It ${done}`), ...(isNote && { isNote }) };
}

const { name: environmentName } = stateDocument.shape.environments.unwrap().unwrap().element.shape;

/**
 * The environment for the properties within flags: the wanted one, or the first one of a document without it. Chosen
 * before anything is removed, so that nothing goes to another environment because of an entry that cannot be read.
 */
function inlineEnvironment({ environments }: Readonly<Record<string, unknown>>, wanted: string): string {
  const rows: readonly unknown[] = Array.isArray(environments) ? environments : [];
  const names = rows.map((row) => environmentName.safeParse(isRecord(row) ? row['name'] : undefined).data);
  return names.includes(wanted) || names.includes(undefined) ? wanted : (names[0] ?? wanted);
}

/** Removes invalid parts until the rest is valid. */
async function readPruned(document: object, pruning: Pruning, inline: string): Promise<WantedState> {
  for (;;) {
    try {
      return await readStateDocument(parse(stateDocument, document, 'document'), {
        chooseEnvironment: () => inline,
        pause: () => undefined,
      });
    } catch (error) {
      if (!isRefusal(error, 'invalid')) throw error;
      if (
        !removeAll(
          error.details.filter((detail): detail is PropertyDetail => 'complaint' in detail),
          pruning,
        )
      )
        throw new InputError(`this is no export of Unleash: ${error.message}`);
    }
  }
}

function removeAll(details: readonly PropertyDetail[], pruning: Pruning): boolean {
  return pruning.removeAll(details) && pruning.unmapped.length < MAX_UNMAPPED;
}

function objectsOf(
  { environments, projects, strategyTypes = [], segments = [], flags = [] }: WantedState,
  project: string | undefined,
): readonly ImportedObject[] {
  return [
    ...environments.map(({ name, spec }) => ({ kind: 'environments', name, spec }) as const),
    ...projects.map(({ name, spec }) => ({ kind: 'projects', name, spec }) as const),
    ...strategyTypes
      .filter(({ name }) => !isBuiltIn(name))
      .map((type) => ({ kind: 'strategyTypes', name: type.name, spec: strategyTypeSpec(type) }) as const),
    ...segments.map(({ name, spec }) => ({ kind: 'segments', name, spec }) as const),
    ...flags.map((flag) => flagOf(flag, project)),
  ];
}

function flagOf(wanted: WantedFlag, project = wanted.project): ImportedObject<'flags'> {
  const spec = importFlag({}, { wanted, replace: true });
  return { kind: 'flags', name: wanted.name, spec: { ...(project !== DEFAULT_PROJECT && { project }), ...spec } };
}

/** Adds the flag and the environment to the places of rows, which have only numbers. */
function placeNames(document: Readonly<Record<string, unknown>>): (one: Unmapped) => Unmapped {
  const names = new Map<string, string | undefined>(
    ROWS_OF_FLAGS.flatMap((section) => {
      const rows: readonly unknown[] = Array.isArray(document[section]) ? document[section] : [];
      return rows.map((row, index) => [`${section}[${index}]`, rowName(section, row)] as const);
    }),
  );
  return (one) => {
    const name = names.get(/^[^.]*/.exec(one.path)?.[0] ?? '');
    return name === undefined ? one : { ...one, path: `${one.path} (${name})` };
  };
}

const ROWS_OF_FLAGS = ['features', 'featureStrategies', 'featureEnvironments'];
