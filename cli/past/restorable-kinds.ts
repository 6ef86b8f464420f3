/** The kinds of objects that `vexil restore` takes by name, beside flags. */
import { z } from 'zod';
import type { Kind } from '../../src/model/kind.ts';
import { type DecidingKindName, type KindName, kindsAfterReferences, kindsByName } from '../../src/schema/kinds.ts';
import { Failure } from '../failure.ts';
import { EXIT } from '../terminal.ts';

export type AnyKind = Kind<unknown, unknown>;

export interface RestorableKind {
  readonly kind: AnyKind;
  /** The folder of its objects below /api/admin/history. */
  readonly folder: string;
}

const folders: Readonly<Record<Exclude<DecidingKindName, 'flags'>, string>> = {
  environments: 'environments',
  strategyTypes: 'strategies',
  projects: 'projects',
  segments: 'segments',
};

/** In the order of the writes: flags refer to all of them. */
export const restorableKinds: readonly RestorableKind[] = kindsAfterReferences.flatMap((name) =>
  hasFolder(name) ? [{ kind: kindsByName[name] as AnyKind, folder: folders[name] }] : [],
);

function hasFolder(name: KindName): name is keyof typeof folders {
  return name in folders;
}

export interface NamedObject extends RestorableKind {
  /** The name in the API. */
  readonly name: string;
}

/** Reads `segment/staff`; the kind may be any of the names that kubectl takes. Throws a Failure for another form. */
export function namedObject(text: string): NamedObject {
  const slash = text.indexOf('/');
  const [word, name] = [text.slice(0, Math.max(slash, 0)).toLowerCase(), text.slice(slash + 1)];
  const found = restorableKinds.find(({ kind }) => [kind.singular, kind.plural, ...kind.shortNames].includes(word));
  if (found && name !== '') return { ...found, name };
  const words = restorableKinds.map(({ kind }) => kind.singular).join(', ');
  throw new Failure(`an object is KIND/NAME, with the kind ${words}: it is "${text}"`, EXIT.usage);
}

/** An object with what the history knows of it. */
export const storedObject = z.object({
  uid: z.string(),
  manifest: z.object({
    kind: z.string(),
    metadata: z.object({ namespace: z.string(), name: z.string() }),
    spec: z.unknown(),
  }),
});
