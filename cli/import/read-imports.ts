/** Reads files of other products in any known format. */
import { isRecord, recordOf } from '../../src/model/json.ts';
import { InputError } from '../failure.ts';
import { isUnreadable, parseDocuments } from '../manifests/documents.ts';
import { placeText } from '../manifests/place.ts';
import type { Source } from '../manifests/source.ts';
import { isConfigCat, readConfigCat } from './configcat/read-configcat.ts';
import { readFlagd } from './flagd/read-flagd.ts';
import {
  isFlagsmithEnvironment,
  isFlagsmithList,
  readFlagsmith,
  readFlagsmithList,
} from './flagsmith/read-flagsmith.ts';
import { isFlipt, readFlipt } from './flipt/read-flipt.ts';
import { isGoff, readGoff } from './goff/read-goff.ts';
import type { Imported, ImportOptions } from './imported.ts';
import { joined } from './join.ts';
import { isLaunchDarkly, readLaunchDarkly } from './launchdarkly/read-launchdarkly.ts';
import { type Given, listOf } from './rules/records.ts';
import { unwrapped } from './unleash/batch-import.ts';
import { readUnleash } from './unleash/read-unleash.ts';
import { lost } from './unmapped.ts';
import { whatItSeems } from './what-it-seems.ts';

/** Throws an InputError for a file of an unknown format. */
export async function readImports(sources: readonly Source[], options: ImportOptions): Promise<Imported> {
  const given = sources.flatMap((source) => valuesIn(source).map((value) => ({ value, file: source.file })));
  const documents = given.map(({ value }) => value);
  const read: Imported[] = [];
  for (const { value, file } of given) read.push(await readOne(value, file, { ...options, documents }));
  return joined(read);
}

function valuesIn(source: Source): readonly unknown[] {
  const documents = documentsOf(source);
  if (documents.length === 0) throw new InputError(`${source.file === '-' ? 'standard input' : source.file} is empty`);
  return documents.map((document) => {
    if (!isUnreadable(document)) return document.value;
    throw new InputError(`${placeText(document.place)}: ${document.message}`);
  });
}

/** flagd and Unleash read YAML 1.2. A file with an object of Kubernetes is read as kubectl reads it. */
function documentsOf(source: Source): ReturnType<typeof parseDocuments> {
  const documents = parseDocuments(source, 'core');
  const areObjects = documents.some(
    (document) => !isUnreadable(document) && isRecord(document.value) && 'apiVersion' in document.value,
  );
  return areObjects ? parseDocuments(source, 'kubectl') : documents;
}

async function readOne(value: unknown, file: string, options: ImportOptions): Promise<Imported> {
  refuseOthers(value, file);
  if (isFlagsmithList(value)) return readFlagsmithList(value, options);
  const format = isRecord(value) ? FORMATS.find(({ matches }) => matches(value)) : undefined;
  if (!isRecord(value) || !format) throw new InputError(`${file}: the format is not known. ${KNOWN}`);
  return format.read(value, options, file);
}

interface Format {
  matches(document: Given): boolean;
  read(document: Given, options: ImportOptions, file: string): Imported | Promise<Imported>;
}

/** The first that matches reads a document. */
const FORMATS: readonly Format[] = [
  { matches: isLaunchDarkly, read: readLaunchDarkly },
  { matches: isConfigCat, read: readConfigCat },
  { matches: isFlipt, read: readFlipt },
  { matches: isFlagsmithEnvironment, read: readFlagsmith },
  { matches: isGoff, read: readGoff },
  { matches: ({ items }) => Array.isArray(items), read: readList },
  { matches: ({ apiVersion }) => typeof apiVersion === 'string', read: readOfOperator },
  { matches: ({ flags }) => isRecord(flags), read: (document, options) => readFlagd(document, options, []) },
  { matches: isUnleash, read: readExport },
];

async function readList({ items }: Given, options: ImportOptions, file: string): Promise<Imported> {
  return joined(await Promise.all(listOf(items).map((item) => readOne(item, file, options))));
}

function isUnleash(given: Given): boolean {
  const { document } = unwrapped(given, WITHOUT_OPTIONS);
  return Array.isArray(document['features']) || typeof document['version'] === 'number';
}

const WITHOUT_OPTIONS: ImportOptions = { environment: 'default', project: undefined };

function readExport(given: Given, options: ImportOptions): Promise<Imported> {
  const { document, options: own } = unwrapped(given, options);
  return readUnleash(document, own);
}

function refuseOthers(value: unknown, file: string): void {
  const seen = whatItSeems(value);
  if (seen !== undefined) throw new InputError(`${file} cannot be imported: it seems to be ${seen}. ${KNOWN}`);
}

const KNOWN =
  'It must be an export of Unleash, an object of the OpenFeature Operator, or a file of ConfigCat, flagd, Flagsmith, Flipt, GO Feature Flag or LaunchDarkly';

/** Versions before v1beta1 have the definitions in another field, the first version as text. */
function readOfOperator({ apiVersion, kind, spec }: Given, options: ImportOptions): Imported {
  const isFlags = ['FeatureFlag', 'FeatureFlagConfiguration'].includes(String(kind));
  if (!String(apiVersion).startsWith('core.openfeature.dev/') || !isFlags || !isRecord(spec)) {
    const what = `${String(apiVersion)} ${String(kind)}`;
    return { objects: [], unmapped: [lost(['kind'], what, 'It has no flags. It is left out.')] };
  }
  const field = 'flagSpec' in spec ? 'flagSpec' : 'featureFlagSpec';
  const { [field]: given } = spec;
  const definitions = typeof given === 'string' ? parseText(given, `spec.${field}`) : given;
  return readFlagd(recordOf(definitions), options, ['spec', field]);
}

function parseText(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new InputError(`${path} is no JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}
