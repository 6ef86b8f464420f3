/** Removes properties for which Vexil has no field from a state document. */
import type { z } from 'zod';
import { isRecord } from '../../../src/model/json.ts';
import { stateDocument } from '../../../src/wire/admin/state/state-input.ts';
import { lost, type Unmapped } from '../unmapped.ts';

const { version: _, ...sections } = stateDocument.shape;

/** Sections whose unknown fields are not reported: tags have types in Vexil, but nothing else of a type is kept. */
const WITHOUT_REPORT: readonly string[] = ['tagTypes', 'tags'];

/** Properties that describe the instance or summarise other parts of the document. */
const OF_THE_INSTANCE: readonly string[] = [
  ...['createdAt', 'updatedAt', 'archivedAt', 'lastSeenAt', 'createdBy', 'createdByUserId', 'favorite', 'health'],
  ...['editable', 'builtIn', 'featureCount', 'memberCount', 'usedInFeatures', 'usedInProjects', 'variantCount'],
  ...['environments', 'children', 'lifecycle', 'projectId', 'hasStrategies', 'hasEnabledStrategies', 'color'],
];

/** Changes the document, which must be a copy. Does not report values without information. */
export function takeUnknownFields(document: Record<string, unknown>): readonly Unmapped[] {
  const unmapped: Unmapped[] = [];
  const take = (owner: Record<string, unknown>, key: string, path: readonly (string | number)[]) => {
    const value = owner[key];
    delete owner[key];
    const isKnown = OF_THE_INSTANCE.includes(key) || WITHOUT_REPORT.includes(`${path[0]}`);
    if (!isKnown && saysSomething(key, value))
      unmapped.push(lost([...path, key], value, 'Vexil has no such field. It is left out.'));
  };
  for (const key of Object.keys(document)) {
    if (key !== 'version' && !Object.hasOwn(sections, key)) take(document, key, []);
  }
  for (const [name, section] of Object.entries(sections)) {
    const known = keysOf(section.unwrap().unwrap().element);
    eachItem(document[name], (item, index) => {
      for (const key of Object.keys(item)) if (!known.includes(key)) take(item, key, [name, index]);
    });
  }
  const { strategies } = sections.features.unwrap().unwrap().element.shape;
  const known = keysOf(strategies.unwrap().unwrap().element);
  eachItem(document['features'], (feature, index) =>
    eachItem(feature['strategies'], (strategy, place) => {
      for (const key of Object.keys(strategy))
        if (!known.includes(key)) take(strategy, key, ['features', index, 'strategies', place]);
    }),
  );
  return unmapped;
}

function keysOf({ shape }: z.ZodObject): readonly string[] {
  return Object.keys(shape);
}

function eachItem(list: unknown, take: (item: Record<string, unknown>, index: number) => void): void {
  if (!Array.isArray(list)) return;
  for (const [index, item] of list.entries()) if (isMutableRecord(item)) take(item, index);
}

function isMutableRecord(value: unknown): value is Record<string, unknown> {
  return isRecord(value);
}

/** `open` is the mode of every project. */
function saysSomething(key: string, value: unknown): boolean {
  if (value === null || value === undefined || value === '' || value === false) return false;
  if (key === 'mode' && value === 'open') return false;
  return typeof value !== 'object' || Object.keys(value).length > 0;
}
