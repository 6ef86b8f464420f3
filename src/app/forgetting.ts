/** The wiring of forgetting a person, on each replica. */
import { randomInt } from 'node:crypto';
import { forgettingIn } from '../audit/archive/forget/forgetting-archive.ts';
import { createForgetting, type Forgetting } from '../audit/forget/forgetting.ts';
import type { PresentObject } from '../audit/forget/remains.ts';
import type { Cluster } from './cluster.ts';
import type { Platform } from './platform.ts';

/** Without digits and letters that look alike. */
const CHARACTERS = 'bcdfghjkmnpqrstvwxz23456789';
const LENGTH = 8;

export function wireForgettings(platform: Platform): Forgetting {
  const { archive, database, cluster, transport, config, identity, catalog, machine } = platform;
  const namespaces = [...new Set([config.namespace, ...cluster.places.map(({ namespace }) => namespace)])];
  return createForgetting({
    archive,
    forgetting: forgettingIn(database),
    transport,
    namespaces: namespaces.includes(undefined) ? [undefined] : namespaces,
    home: config.namespace,
    instance: identity,
    people: catalog,
    objects: () => objectsOf(cluster),
    clock: machine.clock,
    wallTime: machine.wallTime,
    newPseudonym,
  });
}

function* objectsOf({ resources }: Cluster): Iterable<PresentObject> {
  for (const { kind, all } of resources) {
    for (const object of all()) yield { resource: kind.plural, object };
  }
}

function newPseudonym(): string {
  return `forgotten-${Array.from({ length: LENGTH }, () => CHARACTERS[randomInt(CHARACTERS.length)]).join('')}`;
}
