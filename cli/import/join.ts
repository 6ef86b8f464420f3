/** Joins the content of several documents, such as the exports of each environment. */
import { isDeepStrictEqual } from 'node:util';
import type { FlagSpec } from '../../src/schema/feature-flag.ts';
import type { Imported, ImportedObject } from './imported.ts';
import type { Unmapped } from './unmapped.ts';

/**
 * A flag that several documents have gets the environments of all of them. Where they differ otherwise, the first one
 * counts.
 */
export function joined(parts: readonly Imported[]): Imported {
  const objects = new Map<string, ImportedObject>();
  const unmapped = parts.flatMap((part) => [...part.unmapped]);
  for (const object of parts.flatMap((part) => part.objects)) {
    const key = `${object.kind}/${object.name}`;
    const first = objects.get(key);
    if (first === undefined) objects.set(key, object);
    else {
      const both = joinedFlag(first, object);
      if (both) objects.set(key, both.object);
      unmapped.push(...(both?.unmapped ?? differs({ key, first: first.spec, second: object.spec })));
    }
  }
  return { objects: [...objects.values()], unmapped };
}

type Flag = ImportedObject<'flags'>;

function isFlag(object: ImportedObject): object is Flag {
  return object.kind === 'flags';
}

function joinedFlag(first: ImportedObject, second: ImportedObject) {
  if (!isFlag(first) || !isFlag(second)) return undefined;
  const { environments: givenFirst, ...one } = withOwnVariants(first.spec);
  const { environments: givenSecond, ...other } = withOwnVariants(second.spec);
  const [ofFirst, ofSecond] = [givenFirst ?? {}, givenSecond ?? {}];
  const key = `flags/${first.name}`;
  const twice = Object.keys(ofSecond).filter((name) => Object.hasOwn(ofFirst, name));
  const environments = { ...ofSecond, ...ofFirst };
  const spec: FlagSpec = { ...one, ...(Object.keys(environments).length > 0 && { environments }) };
  const unmapped = [
    ...twice.flatMap((name) =>
      differs({ key: `${key}: environments.${name}`, first: ofFirst[name], second: ofSecond[name] }),
    ),
    ...Object.keys({ ...one, ...other }).flatMap((field) =>
      differs({ key: `${key}: ${field}`, first: Reflect.get(one, field), second: Reflect.get(other, field) }),
    ),
  ];
  return { object: { ...first, spec }, unmapped };
}

/** Variants of all environments of one document are not those of the environments of another one. */
export function withOwnVariants({ variants, environments, ...rest }: FlagSpec): FlagSpec {
  if (!variants) return { ...rest, environments };
  const own = Object.entries(environments ?? {}).map(([name, one]) => [name, { variants, ...one }] as const);
  return { ...rest, environments: Object.fromEntries(own) };
}

interface Differing {
  readonly key: string;
  readonly first: unknown;
  readonly second: unknown;
}

function differs({ key, first, second }: Differing): readonly Unmapped[] {
  if (isDeepStrictEqual(first, second)) return [];
  return [{ path: key, value: second ?? null, advice: 'It is there twice, and differs. The first one is written.' }];
}
