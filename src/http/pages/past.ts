/** The state at a past time, in the form in which answers read the present one. */
import type { Archive } from '../../audit/archive/archive.ts';
import type { FoundVersions, PastObject, WantedFlags, WantedVersions } from '../../audit/archive/versions/versions.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import { createCatalogOrigin } from '../../delivery/catalog-origin.ts';
import { createEvaluations, type Evaluations } from '../../delivery/evaluations.ts';
import { dependenciesOf } from '../../domain/flag/dependencies.ts';
import { projectIdOf } from '../../domain/flag/flag-values.ts';
import { segmentNamesOf } from '../../domain/flag/segments-of-flag.ts';
import { DEFAULT_PROJECT } from '../../domain/identity/names.ts';
import { lifecycleOf } from '../../domain/usage/lifecycle.ts';
import { Refusal, type UncertainSpan } from '../../errors.ts';
import type { AnyObject } from '../../model/object.ts';
import { inTurn, type Turn } from '../../runtime/turns.ts';
import { type FeatureFlag, featureFlag } from '../../schema/feature-flag.ts';
import { decidingKindNames, kindsByName, type OfDecidingKinds } from '../../schema/kinds.ts';
import { project as projectKind } from '../../schema/project.ts';
import type { InGap } from '../../wire/past-query.ts';
import { createFlagUsages } from './flag-usage.ts';
import { explainArchive } from './readable-history.ts';
import type { Recorded, TimePlace } from './recorded.ts';
import { createPages, type Pages } from './response-cache.ts';

/** An object as the API server would have answered it. */
export interface PastRawObject {
  /** The plural of the kind. */
  readonly resource: string;
  readonly metadata: object;
  readonly spec: unknown;
  readonly status?: unknown;
}

export type MakePastCatalog = (
  objects: readonly PastRawObject[],
  making: {
    /** Ms since 1970. */
    readonly at: number;
    readonly turn: Turn;
  },
) => Promise<Catalog>;

/** What a request wants to know about a past time. */
export interface PastQuestion extends TimePlace {
  /** Ms since 1970. */
  readonly at: number;
  readonly inGap: InGap;
  /** The flags that the answer is about. */
  readonly flags: WantedFlags;
  /** Further segments that the answer is about, by name. */
  readonly segments?: readonly string[];
  /** The project of these flags; undefined: of any. */
  readonly project?: string | undefined;
  /** The answer says itself what is uncertain. */
  readonly takesUncertain?: boolean;
}

export interface PastState {
  readonly catalog: Catalog;
  readonly evaluations: Evaluations;
  readonly pages: Pages;
  /** Throws a Refusal unless what was in force is certain, or the question says which state is wanted. */
  requireCertain(): void;
  /** The flags that changed, if it is uncertain whether that was before or after the time. */
  readonly uncertainFlags: readonly UncertainFlag[];
}

export interface UncertainFlag {
  readonly name: string;
  readonly project: string;
  readonly span: UncertainSpan;
}

/** The request that asks. */
interface PastRequest {
  readonly signal: AbortSignal;
  readonly turn: Turn;
}

export interface TimeTravel {
  /** Rejects with a Refusal if the history does not know the time. */
  stateAt(question: PastQuestion, asking: PastRequest): Promise<PastState>;
}

export interface TimeTravelParts {
  readonly archive: Pick<Archive, 'versionsAt'>;
  readonly makeCatalog: MakePastCatalog;
  readonly recorded: Recorded;
  readonly random: () => number;
}

export function createTimeTravel({ archive, makeCatalog, recorded, random }: TimeTravelParts): TimeTravel {
  const read = async (wanted: WantedVersions, { signal, turn }: PastRequest) => {
    const found = await archive.versionsAt(wanted, signal).catch(explainArchive);
    const watched = recorded.watched(found);
    for (const { before, after } of watched.objects) {
      for (const version of [before, after]) if (version) await inTurn(turn, () => version.content);
    }
    return watched;
  };

  return {
    async stateAt(question, asking) {
      const { turn } = asking;
      const { at, inGap = 'after' } = question;
      const first = await read({ at, resources: recorded.resources, flags: question.flags }, asking);
      recorded.requireKnown(first, question);
      const missing = parentsMissing(question, first);
      const parents =
        missing.length > 0 ? await read({ at, resources: [], flags: { of: 'names', names: missing } }, asking) : first;
      const found = withObjects(first, parents);
      recorded.requireUpToDate(found, question);
      const catalog = await makeCatalog(objectsIn(found, inGap), { at, turn });
      const uncertain = found.objects.filter(({ span }) => span);
      const other = inGap === 'after' ? 'before' : 'after';
      const otherCatalog = uncertain.length > 0 ? await makeCatalog(objectsIn(found, other), { at, turn }) : catalog;
      const concerned = uncertain.filter(concerns(question, [catalog, otherCatalog]));
      return {
        catalog,
        evaluations: createEvaluations(createCatalogOrigin(catalog), random),
        pages: pagesAt(catalog, at),
        requireCertain() {
          if (question.inGap === undefined && concerned.length > 0) throw uncertainAt(question, concerned);
        },
        uncertainFlags: uncertain.flatMap(uncertainFlagsIn),
      };
    },
  };
}

/** Flags that are asked for by name need their parents, whose names are only known now. */
function parentsMissing({ flags }: PastQuestion, { objects }: FoundVersions): readonly string[] {
  if (flags.of !== 'names') return [];
  const parents = objects.flatMap(({ before, after }) => [before, after].flatMap((one) => parentsIn(one?.content)));
  return [...new Set(parents)].filter((name) => !flags.names.includes(name));
}

function withObjects({ objects, scopes }: FoundVersions, more: FoundVersions): FoundVersions {
  const byUid = new Map([...more.objects, ...objects].map((one) => [one.uid, one]));
  return { objects: [...byUid.values()], scopes };
}

/** Those of all found flags: whether one is meant is only known with its project. */
function parentsIn(content: { readonly spec: unknown } | undefined): readonly string[] {
  const spec = content?.spec as Partial<FeatureFlag['spec']> | undefined;
  const dependencies: unknown = spec?.dependencies;
  return Array.isArray(dependencies)
    ? dependencies.flatMap((one) => (typeof one?.feature === 'string' ? one.feature : []))
    : [];
}

function objectsIn({ objects }: FoundVersions, which: 'before' | 'after'): readonly PastRawObject[] {
  return objects.flatMap(({ resource, uid, namespace, name, created, ...versions }) => {
    const { content, generation } = versions[which] ?? {};
    if (!content) return [];
    const metadata = { namespace, name, uid, generation, creationTimestamp: created };
    return { resource, metadata, spec: content.spec, ...(content.id !== undefined && { status: { id: content.id } }) };
  });
}

/** No use is recorded for a past time. */
function pagesAt(catalog: Catalog, at: number): Pages {
  return createPages({
    catalog,
    ownersAt: () => [],
    usages: createFlagUsages({
      reader: { lastHour: () => new Map(), lastEdges: () => new Map() },
      lookups: { usageOf: () => [], lifecycleOf: initial },
    }),
    usageAgeMs: 1,
    evidenceIn: () => [],
    now: () => at,
  });
}

function initial(flag: FeatureFlag) {
  return lifecycleOf({ flag, environments: [], enabledIn: new Set(), usage: [] });
}

/** Of a kind with few objects, on which most flags depend, every answer may depend on each of them. */
const FEW: OfDecidingKinds<boolean> = {
  flags: false,
  projects: false,
  environments: true,
  strategyTypes: true,
  segments: false,
};

/** Whether the answer may depend on the object. */
function concerns(
  { flags, project, segments = [] }: PastQuestion,
  catalogs: readonly Catalog[],
): (object: PastObject) => boolean {
  if (flags.of === 'all') return () => true;
  const projects = uidsIn(flags.of === 'projects' ? flags.projects : [project ?? ''], (catalog, id) =>
    catalog.project(id),
  );
  if (flags.of === 'projects') return ({ resource, uid }) => resource !== projectKind.plural || projects.has(uid);
  const families = catalogs.flatMap((catalog) => flags.names.flatMap((name) => familyOf(catalog, name, project)));
  const names = [...new Set([...segments, ...families.flatMap((flag) => [...segmentNamesOf(flag)])])];
  const related = new Set([
    ...projects,
    ...families.map(({ metadata }) => metadata.uid),
    ...uidsIn(names, (catalog, name) => catalog.segmentNamed(name)),
  ]);
  const isFew = (resource: string) => decidingKindNames.some((one) => FEW[one] && kindsByName[one].plural === resource);
  return ({ resource, uid }) => isFew(resource) || related.has(uid);

  function uidsIn(
    names: readonly string[],
    find: (catalog: Catalog, name: string) => Pick<AnyObject, 'metadata'> | undefined,
  ): ReadonlySet<string> {
    const found = catalogs.flatMap((catalog) => names.flatMap((name) => find(catalog, name) ?? []));
    return new Set(found.map(({ metadata }) => metadata.uid));
  }
}

/** The flag with its parents and children. */
function familyOf(catalog: Catalog, name: string, project: string | undefined): readonly FeatureFlag[] {
  const flag = catalog.flag(name);
  if (!flag || (project !== undefined && projectIdOf(flag) !== project)) return [];
  const parents = dependenciesOf(flag).flatMap(({ feature }) => catalog.flagInProjectOf(flag, feature) ?? []);
  return [flag, ...parents, ...catalog.childrenOf(flag)];
}

/** Under the names of both sides: the flag may exist on one only. */
function uncertainFlagsIn({ resource, name, span, before, after }: PastObject): readonly UncertainFlag[] {
  if (resource !== featureFlag.plural || !span) return [];
  return [before, after].flatMap((version) => {
    const spec = version?.content?.spec as Partial<FeatureFlag['spec']> | undefined;
    return spec ? [{ name: spec.name ?? name, project: spec.project ?? DEFAULT_PROJECT, span }] : [];
  });
}

const MAX_NAMED = 20;

function uncertainAt({ at, flags }: PastQuestion, uncertain: readonly PastObject[]): Refusal {
  const details = uncertain.slice(0, MAX_NAMED).map((object) => ({ message: whenChanged(object) }));
  const [first] = details;
  const around = {
    from: Math.min(...uncertain.flatMap(({ span }) => span?.from ?? [])),
    until: Math.max(...uncertain.flatMap(({ span }) => span?.until ?? [])),
  };
  // The caller may not be allowed to read all objects of several projects.
  const isNamed = flags.of === 'names' && first !== undefined;
  const why = isNamed ? first.message : `${uncertain.length} objects changed at uncertain times ${between(around)}`;
  const message = `What was in force at ${new Date(at).toISOString()} is uncertain: ${why}. Ask with inGap=before or inGap=after for the state before or after the change, or for another time.`;
  return new Refusal('uncertain-time', message, {
    ...(isNamed && { details }),
    uncertain: around,
  });
}

function whenChanged({ resource, name, span }: PastObject): string {
  const times = span?.several ? 'several times, or once,' : 'once';
  return `${resource} "${name}" changed ${times} ${between(span ?? { from: 0, until: 0 })}`;
}

function between({ from, until }: UncertainSpan): string {
  return `between ${new Date(from).toISOString()} and ${new Date(until).toISOString()}`;
}
