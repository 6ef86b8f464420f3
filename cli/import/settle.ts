/** Removes what `vexil lint` rejects from imported objects, so that a cluster accepts the rest. */
import { metadataFields } from '../../src/domain/flag/metadata-fields.ts';
import type { FlagEnvironment, FlagSpec } from '../../src/schema/feature-flag.ts';
import type { Finding } from '../lint/finding.ts';
import { lint } from '../lint/lint.ts';
import { pathText } from '../manifests/field-path.ts';
import type { Source } from '../manifests/source.ts';
import type { Imported, ImportedObject } from './imported.ts';
import type { Unmapped } from './unmapped.ts';
import { type Layout, manifestOf } from './write-manifests.ts';

export interface ImportTarget extends Layout {
  /** Objects that exist besides those of the document. */
  readonly context: readonly Source[];
  /** Ms since 1970. */
  readonly now: number;
}

/** A removed part can make another one invalid: a segment its strategy, a strategy its flag, a flag its child. */
const MAX_ROUNDS = 50;

export async function settle(given: readonly ImportedObject[], target: ImportTarget): Promise<Imported> {
  const { context, now, namespace } = target;
  let objects = given;
  const unmapped: Unmapped[] = [];
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const files = objects.map((object) => ({ object, ...manifestOf(object, target) }));
    const sources = files.map(({ path, text }) => ({ file: path, text }));
    const { findings } = await lint({ sources, context, namespace, now });
    const errors = Map.groupBy(
      findings.filter(({ severity }) => severity === 'error'),
      ({ place }) => place.file,
    );
    if (errors.size === 0) break;
    const repaired = files.map(({ object, path }) => repair(object, errors.get(path) ?? []));
    objects = repaired.flatMap(({ rest }) => rest ?? []);
    unmapped.push(...repaired.flatMap((one) => one.unmapped));
  }
  return { objects, unmapped };
}

interface Repaired {
  /** Undefined if nothing of the object can stay. */
  readonly rest: ImportedObject | undefined;
  readonly unmapped: readonly Unmapped[];
}

function repair(object: ImportedObject, errors: readonly Finding[]): Repaired {
  return errors.reduce<Repaired>(
    ({ rest: before, unmapped }, error) => {
      const removal = before && without(before, error.path);
      // An earlier error of the same part may have removed it already.
      if (removal?.value === undefined) return { rest: before, unmapped };
      const { rest, removed, value } = removal;
      const path = `${object.kind}/${object.name}: ${removed}`;
      return { rest, unmapped: [...unmapped, { path, value, advice: adviceOf(error, rest) }] };
    },
    { rest: object, unmapped: [] },
  );
}

function adviceOf({ message, path }: Finding, rest: ImportedObject | undefined): string {
  const said = message.replace(`${pathText(path)}: `, '');
  if (path.at(-1) === 'enabled') return `${said}. The flag is written switched off.`;
  return `${said}. It is left out${rest ? '' : ' with the whole object'}: add it by hand.`;
}

interface Removal {
  /** Undefined if nothing of the object can stay. */
  readonly rest: ImportedObject | undefined;
  /** The path of the removed field. */
  readonly removed: string;
  readonly value: unknown;
}

function without(object: ImportedObject, path: readonly string[]): Removal {
  if (object.kind !== 'flags') return whole(object);
  // The kind determines the type of the spec.
  const { name, spec } = object as ImportedObject<'flags'>;
  const [, field = '', environment = '', part, key] = path;
  const next = withoutField(spec, [field, environment, part, key]);
  if (!next) return whole(object);
  const keys = path.slice(0, part === 'strategies' ? 5 : 4);
  const value = keys.slice(1).reduce<unknown>((inner, one) => Object(inner)[one], spec);
  return { rest: { kind: 'flags', name, spec: next }, removed: pathText(keys), value };
}

function whole({ spec }: ImportedObject): Removal {
  return { rest: undefined, removed: 'spec', value: spec };
}

type SettledPath = readonly [field: string, environment: string, part: string | undefined, key: string | undefined];

/** Returns undefined if the field cannot be removed without making the flag another one. */
function withoutField(spec: FlagSpec, [field, environment, part, key]: SettledPath): FlagSpec | undefined {
  const present = spec.environments?.[environment];
  if (field === 'environments' && present) {
    const { [environment]: _, ...others } = spec.environments ?? {};
    const next = withoutPart(present, part, key);
    return { ...spec, environments: { ...others, ...(next && { [environment]: next }) } };
  }
  if (field === 'dependencies') {
    const { dependencies: _, ...rest } = spec;
    return { ...rest, ...switchedOff(spec) };
  }
  const removable: readonly string[] = [...metadataFields, 'tags', 'variants'];
  if (!removable.includes(field)) return undefined;
  return Object.fromEntries(Object.entries(spec).filter(([one]) => one !== field));
}

/** Returns undefined if the whole environment must be removed. */
function withoutPart(
  environment: FlagEnvironment,
  part: string | undefined,
  key: string | undefined,
): FlagEnvironment | undefined {
  const { variants, strategies, ...rest } = environment;
  if (part === 'enabled') return { ...environment, enabled: false };
  if (part === 'variants') return { ...rest, ...(strategies && { strategies }) };
  if (part !== 'strategies' || key === undefined) return undefined;
  const left = Object.fromEntries(Object.entries(strategies ?? {}).filter(([one]) => one !== key));
  return { ...environment, strategies: left };
}

/** Switches the flag off, because without its parents it would be on for more users. */
function switchedOff({ environments }: FlagSpec): FlagSpec {
  const off = Object.entries(environments ?? {}).map(([name, one]) => [name, { ...one, enabled: false }] as const);
  return environments ? { environments: Object.fromEntries(off) } : {};
}
