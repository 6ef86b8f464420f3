/** Says what is wrong with manifests, without a cluster. */
import { isDeepStrictEqual } from 'node:util';
import { registry } from '../../src/kinds/registry.ts';
import type { ContextField } from '../../src/model/context-field.ts';
import { isRecord } from '../../src/model/json.ts';
import type { Problem } from '../../src/schema/condition.ts';
import { keysOfPath } from '../manifests/field-path.ts';
import { type Manifest, parseManifests } from '../manifests/parse-manifests.ts';
import type { Place } from '../manifests/place.ts';
import { refOf } from '../manifests/ref.ts';
import type { Source } from '../manifests/source.ts';
import { contextFieldChecker } from './check-context-fields.ts';
import { objectChecker } from './check-object.ts';
import type { FieldFinding, Finding } from './finding.ts';
import { type States, statesIn } from './flag-state.ts';
import { judgeManifests } from './judge-manifests.ts';
import { type OfflineCluster, offlineCluster } from './offline-cluster.ts';

export interface LintInput {
  readonly sources: readonly Source[];
  /** Objects that exist besides those that are checked. */
  readonly context: readonly Source[];
  /** The namespace of objects that name none. */
  readonly namespace: string;
  /** Ms since 1970. */
  readonly now: number;
  /** With a list, constraints on other fields and other values are warnings. */
  readonly contextFields?: readonly ContextField[] | undefined;
}

export interface LintResult {
  /** Sorted by file, line and column. */
  readonly findings: readonly Finding[];
  /** The number of checked objects of the kinds of Vexil. */
  readonly checked: number;
  /** The number of skipped objects of other kinds. */
  readonly passedOver: number;
  /** The states of all flags and segments, including those of the context. */
  readonly states: States;
  /** A cluster with all objects, including those of the context. */
  readonly cluster: OfflineCluster;
}

export async function lint({ sources, context, namespace, now, contextFields }: LintInput): Promise<LintResult> {
  const parsed = sources.map(parseManifests);
  const manifests = parsed.flatMap((one) => one.manifests);
  const unreadable = parsed
    .flatMap((one) => one.unreadable)
    .map(({ place, message }): Finding => ({ severity: 'error', place, path: [], rule: 'unreadable', message }));
  const around = context.flatMap((source) => parseManifests(source).manifests);
  const check = objectChecker();
  const checkFields = contextFields ? contextFieldChecker(contextFields) : () => [];
  const own = new Map(
    manifests.map((one) => [one, [...check(one.kind, one.value), ...checkFields(one.value)]] as const),
  );
  const named = manifests.filter((manifest) => refOf(manifest, namespace).name !== '');
  const cluster = offlineCluster([...around, ...named], { namespace, now });
  const problems = await judgeManifests([...around, ...named], cluster, { namespace, now });
  const findings = manifests.flatMap((manifest) => {
    const ofFields = own.get(manifest) ?? [];
    return [...ofFields, ...(problems.get(manifest) ?? []).flatMap((problem) => asFinding(problem, ofFields))].map(
      (finding): Finding => ({ ...finding, place: placeOf(manifest, finding.path) }),
    );
  });
  return {
    findings: [...unreadable, ...findings, ...repeated(manifests, namespace)].sort(byPlace),
    checked: manifests.length,
    passedOver: parsed.reduce((sum, one) => sum + one.passedOver, 0),
    states: statesIn(cluster),
    cluster,
  };
}

/** Without `spec.name`, the wire name of an object is the name in its metadata. */
function placeOf({ value, placeOf: placeOfField }: Manifest, path: readonly string[]): Place {
  const spec = value['spec'];
  const isDefault = path.join('.') === 'spec.name' && !(isRecord(spec) && 'name' in spec);
  return placeOfField(isDefault ? ['metadata', 'name'] : path);
}

/** Returns nothing for a part that is reported already because it does not match the schema. */
function asFinding({ severity, path, reason, message }: Problem, ofFields: readonly FieldFinding[]): FieldFinding[] {
  const isError = severity === 'Error';
  const keys = keysOfPath(path);
  const isKnown = ofFields.some((known) => isDeepStrictEqual(known.path, keys));
  if (reason === 'InvalidSpec' ? ofFields.length > 0 : isKnown && !isError) return [];
  return [{ severity: isError ? 'error' : 'warning', path: keys, rule: reason, message: `${path}: ${message}` }];
}

function repeated(manifests: readonly Manifest[], namespace: string): readonly Finding[] {
  const first = new Map<string, Manifest>();
  return manifests.flatMap((manifest): Finding[] => {
    const { namespace: place, name } = refOf(manifest, namespace);
    const key = `${manifest.kind}/${place}/${name}`;
    const earlier = first.get(key);
    if (!earlier || name === '') {
      first.set(key, manifest);
      return [];
    }
    const { file, line } = earlier.placeOf(['metadata', 'name']);
    const message = `${registry[manifest.kind].kind.kind} ${place}/${name} is also in ${file}:${line}: the last one applied wins, remove one`;
    const path = ['metadata', 'name'];
    return [{ severity: 'error', place: manifest.placeOf(path), path, rule: 'Repeated', message }];
  });
}

function byPlace({ place: a }: Finding, { place: b }: Finding): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  return a.line - b.line || a.column - b.column;
}
