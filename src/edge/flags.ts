/** The flags of the upstream, as one origin for everything that clients read. */
import type { FlagGroup, FlagOrigin, OriginFlag, Scope, ServedPlace, TouchedNames } from '../delivery/flag-origin.ts';
import { compareText } from '../domain/identity/names.ts';
import type { ClientFeature, ClientSegment } from '../evaluation/client-document.ts';
import { createListeners, throwUncaught } from '../model/listeners.ts';
import type { ClientDocument, ClientEvent, ReadFeature } from '../wire/client/read-document.ts';

/** What one subscription reads. Several may contain the same flag. */
export interface FlagSource {
  readonly key: string;
  readonly environment: string;
}

export interface EdgeFlags extends FlagOrigin {
  /** The state of the source is this document, as a whole. */
  replace(source: FlagSource, document: ClientDocument): void;
  /** Applies changes to the state of the source. */
  apply(source: FlagSource, events: readonly ClientEvent[]): void;
  /** Takes the changes that were planned for the time that has come. */
  advance(): void;
  /** Whether the upstream says the tags of flags. */
  knowsTags(): boolean;
  /** The source ends: what no other one has is gone. */
  drop(source: FlagSource): void;
  /** The number of flags in the state of the source, and their characters; undefined if it has none yet. */
  sizeOf(source: FlagSource): { readonly flags: number; readonly characters: number } | undefined;
  /** The state of the source as the JSON of a document; undefined if it has none yet. */
  documentOf(source: FlagSource): string | undefined;
}

/** A flag is kept as JSON, which takes less memory than its values. */
interface StoredFlag {
  readonly text: string;
  readonly project: string;
  /** Ids of segments. */
  readonly uses: readonly number[];
  /** Undefined if the upstream does not say them. */
  readonly tags: readonly string[] | undefined;
  /** In the order of time. */
  readonly plan: readonly PlannedText[];
}

/** The flag from a time on, in ms since 1970. */
interface PlannedText {
  readonly at: number;
  readonly text: string;
}

interface SourceState {
  readonly features: Map<string, StoredFlag>;
  /** The names of flags with a plan. */
  readonly planned: Set<string>;
  /** The JSON of each segment. */
  readonly segments: Map<number, string>;
  /** Of all flags and segments. */
  characters: number;
}

interface SourceFlag {
  readonly flag: OriginFlag;
  readonly stored: StoredFlag;
  /** The JSON of the flag now, and of its segments. */
  readonly present: string;
  readonly segments: string;
}

interface EdgeEnvironment {
  readonly sources: Map<string, SourceState>;
  /** The source that has changed a flag last, by the name of the flag. */
  readonly owners: Map<string, string>;
  readonly entries: Map<string, SourceFlag>;
  /** The flags by their projects; undefined after a change. */
  grouped?: ReadonlyMap<string, readonly OriginFlag[]> | undefined;
}

/** `now` gives ms since 1970. `onFault` receives what a listener throws. */
export function createEdgeFlags(now: () => number, onFault: (error: unknown) => void = throwUncaught): EdgeFlags {
  const environments = new Map<string, EdgeEnvironment>();
  const groups = createGroups((environment) => byProject(environments.get(environment)));
  const listeners = createListeners<[touched: TouchedNames]>(onFault);
  let version = 0;
  let tagged = { version, isKnown: true };

  const stateOf = (environment: string): EdgeEnvironment => {
    const known = environments.get(environment) ?? { sources: new Map(), owners: new Map(), entries: new Map() };
    environments.set(environment, known);
    return known;
  };
  const renew = (state: EdgeEnvironment, names: Iterable<string>): void => {
    const touched = [...names].filter((name) => hasChanged(state, { name, at: now() }, groups.touch));
    if (touched.length === 0) return;
    version += 1;
    listeners.call(touched);
  };

  return {
    version: () => version,
    onTouched: listeners.add,
    groups: groups.of,
    named(name: string, { environment, projects }: Scope) {
      const flag = environments.get(environment)?.entries.get(name)?.flag;
      return flag && projects?.includes(flag.project) !== false ? flag : undefined;
    },

    replace({ key, environment }: FlagSource, document: ClientDocument) {
      const state = stateOf(environment);
      const before = state.sources.get(key);
      const after = sourceStateOf(document);
      state.sources.set(key, after);
      const names = new Set([...(before?.features.keys() ?? []), ...after.features.keys()]);
      for (const name of names) settleOwner(state, { name, key, before: before?.features.get(name) });
      renew(state, names);
    },

    apply({ key, environment }: FlagSource, events: readonly ClientEvent[]) {
      const state = stateOf(environment);
      for (const event of events) {
        const source = state.sources.get(key);
        if (event.type === 'hydration') this.replace({ key, environment }, event);
        else if (source) renew(state, change(state, { key, source, event }));
      }
    },

    advance() {
      for (const state of environments.values()) {
        renew(state, new Set([...state.sources.values()].flatMap(({ planned }) => [...planned])));
      }
    },

    knowsTags() {
      if (tagged.version !== version) tagged = { version, isKnown: areTagged([...environments.values()]) };
      return tagged.isKnown;
    },

    drop({ key, environment }: FlagSource) {
      const state = environments.get(environment);
      const before = state?.sources.get(key);
      if (!state || !before) return;
      state.sources.delete(key);
      for (const [name, feature] of before.features) settleOwner(state, { name, key, before: feature });
      renew(state, before.features.keys());
    },

    sizeOf({ key, environment }: FlagSource) {
      const source = environments.get(environment)?.sources.get(key);
      return source && { flags: source.features.size, characters: source.characters };
    },

    documentOf({ key, environment }: FlagSource) {
      const source = environments.get(environment)?.sources.get(key);
      if (!source) return undefined;
      const features = [...source.features.values()].map(wholeText);
      return `{"features":[${features.join(',')}],"segments":[${[...source.segments.values()].join(',')}]}`;
    },
  };
}

function areTagged(environments: readonly EdgeEnvironment[]): boolean {
  return environments.every(({ entries }) => entries.values().every(({ stored: { tags } }) => tags !== undefined));
}

function sourceStateOf({ features, segments }: ClientDocument): SourceState {
  const flags = new Map(features.map((feature) => [feature.name, stored(feature)]));
  const texts = new Map(segments.map((segment) => [segment.id, JSON.stringify(segment)]));
  const characters = [...flags.values().map(charactersOf), ...texts.values().map(({ length }) => length)];
  return {
    features: flags,
    planned: new Set([...flags].flatMap(([name, { plan }]) => (plan.length > 0 ? [name] : []))),
    segments: texts,
    characters: characters.reduce((sum, length) => sum + length, 0),
  };
}

function charactersOf(flag: StoredFlag | undefined): number {
  return flag ? flag.plan.reduce((sum, { text }) => sum + text.length, flag.text.length) : 0;
}

function stored({ vexil, ...feature }: ReadFeature): StoredFlag {
  const uses = new Set(feature.strategies.flatMap(({ segments }) => segments ?? []));
  const plan = (vexil?.plan ?? []).map((one) => ({ at: one.at, text: JSON.stringify(one.feature) }));
  const tags = vexil && (vexil.tags ?? []);
  return { text: JSON.stringify(feature), project: feature.project, uses: [...uses], tags, plan };
}

/** With what only edges get. */
function wholeText({ text, tags, plan }: StoredFlag): string {
  if (!tags) return text;
  const planned = plan.map((one) => `{"at":${one.at},"feature":${one.text}}`);
  return `${text.slice(0, -1)},"vexil":{"tags":${JSON.stringify(tags)},"plan":[${planned.join(',')}]}}`;
}

interface SourceEvent {
  readonly key: string;
  readonly source: SourceState;
  readonly event: Exclude<ClientEvent, { readonly type: 'hydration' }>;
}

/** Returns the names of the flags that may differ. */
function change(state: EdgeEnvironment, { key, source, event }: SourceEvent): readonly string[] {
  const { features, segments, planned } = source;
  const setFeature = (name: string, feature: StoredFlag | undefined) => {
    const before = features.get(name);
    source.characters += charactersOf(feature) - charactersOf(before);
    if (feature) features.set(name, feature);
    else features.delete(name);
    if (feature && feature.plan.length > 0) planned.add(name);
    else planned.delete(name);
    settleOwner(state, { name, key, before });
    return [name];
  };
  const setSegment = (id: number, text: string | undefined) => {
    source.characters += (text?.length ?? 0) - (segments.get(id)?.length ?? 0);
    if (text === undefined) segments.delete(id);
    else segments.set(id, text);
    return namesWith(id, features);
  };
  switch (event.type) {
    case 'feature-updated':
      return setFeature(event.feature.name, stored(event.feature));
    case 'feature-removed':
      return setFeature(event.featureName, undefined);
    case 'segment-updated':
      return setSegment(event.segment.id, JSON.stringify(event.segment));
    case 'segment-removed':
      return setSegment(event.segmentId, undefined);
  }
}

function namesWith(segment: number, features: ReadonlyMap<string, StoredFlag>): readonly string[] {
  return [...features].flatMap(([name, { uses }]) => (uses.includes(segment) ? [name] : []));
}

interface Settled {
  readonly name: string;
  /** The source that may have changed the flag. */
  readonly key: string;
  readonly before: StoredFlag | undefined;
}

/**
 * Each source says the truth of its own time. The one that has changed a flag last is the newest about it, because in
 * the end every source says the same about a flag.
 */
function settleOwner({ sources, owners }: EdgeEnvironment, { name, key, before }: Settled): void {
  const after = sources.get(key)?.features.get(name);
  const owner = owners.get(name);
  if (after && (owner === undefined || (before && wholeText(before)) !== wholeText(after))) owners.set(name, key);
  if (after || (owner !== undefined && owner !== key)) return;
  const other = [...sources].find(([, { features }]) => features.has(name));
  if (other) owners.set(name, other[0]);
  else owners.delete(name);
}

/** Puts the present entry of the flag in place. */
function hasChanged(state: EdgeEnvironment, { name, at }: NamedAt, touch: (project: string) => void): boolean {
  const before = state.entries.get(name);
  const after = entryOf(state, { name, at });
  if (before && after ? isSameEntry(before, after) : before === after) return false;
  if (after) state.entries.set(name, after);
  else state.entries.delete(name);
  state.grouped = undefined;
  for (const entry of [before, after]) if (entry) touch(entry.flag.project);
  return true;
}

/** What edges behind this one get is part of the flag. */
function isSameEntry(one: SourceFlag, other: SourceFlag): boolean {
  if (one.present !== other.present || one.segments !== other.segments) return false;
  return one.stored === other.stored || wholeText(one.stored) === wholeText(other.stored);
}

interface NamedAt {
  readonly name: string;
  /** In ms since 1970. */
  readonly at: number;
}

function entryOf({ sources, owners }: EdgeEnvironment, { name, at }: NamedAt): SourceFlag | undefined {
  const source = sources.get(owners.get(name) ?? '');
  const feature = source?.features.get(name);
  if (!source || !feature) return undefined;
  const segments = `[${feature.uses.flatMap((id) => source.segments.get(id) ?? []).join(',')}]`;
  const { project, tags = [], plan } = feature;
  const present = plan.findLast((one) => one.at <= at)?.text ?? feature.text;
  const read = () => ({
    feature: JSON.parse(present) as ClientFeature,
    segments: JSON.parse(segments) as readonly ClientSegment[],
  });
  const left = () =>
    plan.filter((one) => one.at > at).map((one) => ({ at: one.at, feature: JSON.parse(one.text) as ClientFeature }));
  const flag = { name, project, tags, read, plan: left };
  return { flag, stored: feature, present, segments };
}

/** The flags of each project, in all environments together. */
function createGroups(byProjectIn: (environment: string) => ReadonlyMap<string, readonly OriginFlag[]>) {
  const known = new Map<string, FlagGroup>();
  const newGroup = (project: string): FlagGroup => {
    const sorted = new Map<string, readonly OriginFlag[]>();
    const flagsIn = (environment: string) => {
      const found = sorted.get(environment) ?? (byProjectIn(environment).get(project) ?? []).toSorted(byName);
      sorted.set(environment, found);
      return found;
    };
    return {
      *flags(environment: string, isWanted: (flag: ServedPlace) => boolean = () => true) {
        for (const flag of flagsIn(environment)) if (isWanted(flag)) yield flag;
      },
    };
  };
  return {
    of(projects: Scope['projects']): readonly FlagGroup[] {
      const ids = projects ?? [...known.keys()];
      return ids.toSorted(compareText).flatMap((id) => known.get(id) ?? []);
    },
    /** Makes a new group, because a flag of the project has changed. */
    touch: (project: string) => void known.set(project, newGroup(project)),
  };
}

function byProject(state: EdgeEnvironment | undefined): ReadonlyMap<string, readonly OriginFlag[]> {
  if (!state) return new Map();
  state.grouped ??= Map.groupBy(
    state.entries.values().map(({ flag }) => flag),
    ({ project }) => project,
  );
  return state.grouped;
}

function byName(one: ServedPlace, other: ServedPlace): number {
  return compareText(one.name, other.name);
}
