/** Walks over the rows of a state document. Refuses rows that occur twice, and rows without their flag. */
import type { Complaints } from '../../../model/complaints.ts';
import type { StateDocument } from './state-input.ts';

const NAMED = [
  ['features', 'name'],
  ['strategies', 'name'],
  ['environments', 'name'],
  ['projects', 'id'],
] as const;

export async function refuseRepeatedRows(document: StateDocument, complaints: Complaints, pause: Pause): Promise<void> {
  for (const [section, key] of NAMED) {
    const once = complaints.once();
    await eachRow<object>(document[section], pause, (row, index) => {
      const name: string = Reflect.get(row, key);
      once(name, () => ({ at: [section, `${index}`, key], value: name }));
    });
  }
  const oncePlace = complaints.once();
  await eachRow(document.featureEnvironments, pause, ({ featureName, environment }, index) => {
    const value = { featureName, environment };
    oncePlace(`${featureName}\n${environment}`, () => ({ at: ['featureEnvironments', `${index}`], value }));
  });
  await refuseRepeatedIds(document, complaints, pause);
}

/** Within one flag and environment an id names one strategy. */
async function refuseRepeatedIds(
  { features, featureStrategies }: StateDocument,
  complaints: Complaints,
  pause: Pause,
): Promise<void> {
  const onceInRows = complaints.once();
  await eachRow(featureStrategies, pause, ({ id, featureName, environment }, index) => {
    const at = () => ['featureStrategies', `${index}`, 'id'];
    if (typeof id === 'string') onceInRows(`${featureName}\n${environment}\n${id}`, () => ({ at: at(), value: id }));
  });
  const onceInFlags = complaints.once();
  await eachRow(features, pause, ({ name, strategies }, flag) => {
    for (const [index, { id }] of (strategies ?? []).entries()) {
      const at = () => ['features', `${flag}`, 'strategies', `${index}`, 'id'];
      if (typeof id === 'string') onceInFlags(`${name}\n${id}`, () => ({ at: at(), value: id }));
    }
  });
}

/** Refuses a row without its flag, which would otherwise be lost silently. */
export async function refuseOrphans(document: StateDocument, complaints: Complaints, pause: Pause): Promise<void> {
  const names = new Set<string>();
  await eachRow(document.features, pause, ({ name }) => names.add(name));
  for (const section of ['featureStrategies', 'featureEnvironments', 'featureTags'] as const) {
    await eachRow<{ readonly featureName: string }>(document[section], pause, ({ featureName }, index) => {
      if (names.has(featureName)) return;
      const sent = JSON.stringify(featureName.slice(0, 100));
      complaints.add([section, `${index}`, 'featureName'], 'must be the name of a flag among `features`.', sent);
    });
  }
}

/**
 * Called after each row, as a document can have a large number of them. Undefined: the work may continue; otherwise
 * resolves in a later turn of the event loop.
 */
export type Pause = () => Promise<void> | undefined;

export async function eachRow<T>(
  rows: readonly T[] | null | undefined,
  pause: Pause,
  take: (row: T, index: number) => void,
): Promise<void> {
  for (const [index, row] of (rows ?? []).entries()) {
    take(row, index);
    const turn = pause();
    if (turn !== undefined) await turn;
  }
}
