/** The objects of the cluster that still name a person: what the cluster says is no history. */
import type { Forgetter } from '../../domain/history/forgetter.ts';
import type { Json } from '../../model/json.ts';
import type { AnyObject } from '../../model/object.ts';
import { nextTurn } from '../../runtime/turns.ts';
import { flagUser } from '../../schema/flag-user.ts';

export interface RemainingObject {
  /** The plural of the kind. */
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  /** `object`: the FlagUser itself. */
  readonly in: 'object' | 'spec' | 'annotations';
}

export interface PresentObject {
  readonly resource: string;
  readonly object: AnyObject;
}

export interface Remains {
  readonly objects: readonly RemainingObject[];
  /** How many further objects there are. */
  readonly more: number;
}

const MAX_OBJECTS = 200;

export async function remainingIn(objects: Iterable<PresentObject>, forgetter: Forgetter): Promise<Remains> {
  const found: RemainingObject[] = [];
  let more = 0;
  for (const { resource, object } of objects) {
    await nextTurn();
    const where = placesIn({ resource, object }, forgetter);
    const { namespace, name } = object.metadata;
    for (const one of where) {
      if (found.length < MAX_OBJECTS) found.push({ resource, namespace, name, in: one });
      else more += 1;
    }
  }
  return { objects: found, more };
}

type PlaceOfRemains = RemainingObject['in'];

function placesIn(
  { resource, object: { metadata, spec } }: PresentObject,
  { json, names }: Forgetter,
): readonly PlaceOfRemains[] {
  const isNamed = json(spec as Json) !== spec;
  if (resource === flagUser.plural && (isNamed || names(metadata.name))) return ['object'];
  const isAnnotated = Object.values(metadata.annotations ?? {}).some(names);
  return [...(isNamed ? (['spec'] as const) : []), ...(isAnnotated ? (['annotations'] as const) : [])];
}
