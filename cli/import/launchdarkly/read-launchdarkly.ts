/** Reads flags of LaunchDarkly: answers of its REST API, and the data of its SDKs, into flags of Vexil. */
import { DEFAULT_PROJECT } from '../../../src/domain/identity/names.ts';
import { isRecord, recordOf, recordsIn } from '../../../src/model/json.ts';
import { type Imported, type ImportOptions, together } from '../imported.ts';
import { flagObject } from '../rules/flag-object.ts';
import { placeOfRules, type RuledPlace } from '../rules/place-of-rules.ts';
import { type Given, listOf, textOf } from '../rules/records.ts';
import { lost, type Unmapped } from '../unmapped.ts';
import { dependenciesOf } from './prerequisites.ts';
import { rulesOf } from './rules.ts';
import { isSegmentList, type ReadSegments, readSegments, segmentsOfList } from './segments.ts';
import { valueAt, variationsOf } from './variations.ts';

/** A flag with all of its environments. */
function isFlag(value: unknown): value is Given {
  return isRecord(value) && Array.isArray(value['variations']) && isRecord(value['environments']);
}

/** Answers of the REST API: flags, one flag, or segments. */
export function isLaunchDarkly(document: Given): boolean {
  return isFlag(document) || listOf(document['items']).some(isFlag) || isSegmentList(document) || isSdkData(document);
}

/** The data of SDKs has the flags of one environment by their keys. */
function isSdkData({ flags }: Given): boolean {
  return Object.values(recordOf(flags)).some((one) => isRecord(one) && Array.isArray(one['variations']));
}

export function readLaunchDarkly(document: Given, options: ImportOptions): Imported {
  const project = options.project ?? projectOf(document) ?? DEFAULT_PROJECT;
  if (isSegmentList(document)) return readSegments(listedSegments(options, document), project);
  if (isSdkData(document)) return readSdkData(document, { ...options, project });
  const flags = isFlag(document) ? [document] : recordsIn(document['items']).filter(isFlag);
  const segments = readSegments(listedSegments(options), project);
  const read = flags.map((flag) => readFlag(flag, { segments, flags, project }));
  return together([{ objects: [], unmapped: missingPages(document, options) }, ...read]);
}

const PAGES = 'The files have fewer flags than the project. Get the other pages with offset, and name all files.';

/** The first page says how many flags there are. */
function missingPages(document: Given, { documents = [document] }: ImportOptions): readonly Unmapped[] {
  const pages = documents.filter(isRecord).filter(({ items }) => listOf(items).some(isFlag));
  const { totalCount } = document;
  const count = pages.reduce((sum, { items }) => sum + listOf(items).length, 0);
  if (pages[0] !== document || typeof totalCount !== 'number' || count >= totalCount) return [];
  return [lost(['totalCount'], totalCount, PAGES)];
}

/** All segments of the import are read with the first list of them. */
function listedSegments({ documents = [] }: ImportOptions, first?: Given) {
  const lists = documents.filter(isRecord).filter(isSegmentList);
  return first === undefined || lists[0] === first ? lists.flatMap(segmentsOfList) : [];
}

/** `/api/v2/flags/PROJECT/KEY` is the address of a flag, and `/api/v2/segments/PROJECT/…` that of a segment. */
function projectOf(document: Given): string | undefined {
  const [first = document] = recordsIn(document['items']);
  const self = recordOf(recordOf(first['_links'])['self'])['href'];
  return /\/(?:flags|segments)\/([^/]+)\//.exec(String(self))?.[1];
}

function readSdkData(
  { flags: given, segments: others }: Given,
  options: ImportOptions & { project: string },
): Imported {
  const { environment, project } = options;
  const segments = readSegments(
    Object.entries(recordOf(others)).map(([key, one]) => ({ key, environment: undefined, given: recordOf(one) })),
    project,
  );
  const flags = Object.entries(recordOf(given)).map(([key, flag]): Given => {
    return { ...recordOf(flag), key, environments: { [environment]: recordOf(flag) } };
  });
  const read = flags.map((flag) => readFlag(flag, { segments, flags, project }));
  return together([segments, ...read]);
}

interface ImportedConfig {
  readonly segments: ReadSegments;
  /** The flags of the document. */
  readonly flags: readonly Given[];
  readonly project: string;
}

const ARCHIVED = 'The flag is archived. It is left out.';

function readFlag(flag: Given, around: ImportedConfig): Imported {
  const { key, description, tags } = flag;
  const { project, flags } = around;
  const path = ['flags', String(key)];
  if (flag['archived'] === true || flag['deleted'] === true)
    return { objects: [], unmapped: [lost(path, { key }, ARCHIVED)] };
  const dependencies = dependenciesOf(flag, flags);
  const places = Object.entries(recordOf(flag['environments'])).map(([environment, place]) => {
    const at = {
      ...around,
      path: [...path, 'environments', environment],
      environment,
      canDepend: dependencies !== undefined,
    };
    return [environment, readPlace(flag, recordOf(place), at)] as const;
  });
  const environments = Object.fromEntries(places.map(([name, { place }]) => [name, place]));
  const texts = listOf(tags).map((tag) => `simple:${String(tag)}`);
  const more = {
    ...(texts.length > 0 && { tags: texts }),
    ...(dependencies && dependencies.length > 0 && { dependencies: [...dependencies] }),
  };
  return {
    objects: [flagObject({ name: String(key), project, description: textOf(description), environments }, more)],
    unmapped: places.flatMap(([, { unmapped }]) => unmapped),
  };
}

interface FlagPart extends ImportedConfig {
  readonly path: readonly string[];
  readonly environment: string;
  /** Whether the prerequisites are dependencies. */
  readonly canDepend: boolean;
}

function readPlace(flag: Given, place: Given, { path, segments, environment, canDepend }: FlagPart): RuledPlace {
  const { on, prerequisites, targets, rules, fallthrough } = place;
  const isPossible = canDepend || recordsIn(prerequisites).length === 0;
  const variants = variationsOf(flag['variations']);
  const read = placeOfRules({
    ...{ name: String(flag['key']), variants, path, isEnabled: on === true },
    rules: isPossible ? rulesOf(place, [...variants.keys()], segments.of(environment)) : undefined,
    rulesAt: { path, value: { rules, fallthrough } },
    value: { prerequisites, targets, rules, fallthrough },
  });
  return { place: read.place, unmapped: [...read.unmapped, ...whenOff(flag, place, path)] };
}

const OFF = 'Switched off, the flag gave this value. Vexil gives none: the application must have it as its default.';

function whenOff(
  flag: Given,
  { on, offVariation, prerequisites }: Given,
  path: readonly string[],
): readonly Unmapped[] {
  const isOffForSome = on !== true || recordsIn(prerequisites).length > 0;
  const value = valueAt(flag, offVariation);
  return !isOffForSome || value === undefined || value === false ? [] : [lost([...path, 'offVariation'], value, OFF)];
}
