/** Wires the flags and tokens of an edge that has files in place of an upstream. */
import { hash } from 'node:crypto';
import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { digestOf } from '../domain/tokens/token-value.ts';
import { Refusal } from '../errors.ts';
import { type Clock, pause } from '../model/clock.ts';
import { isRecord, readJson, recordOf } from '../model/json.ts';
import { type ClientDocument, readDocument } from '../wire/client/read-document.ts';
import { countFailures, edgeAccess } from './access.ts';
import type { EdgeFlags } from './flags.ts';
import type { EdgeRuntime, Served } from './served.ts';
import type { SubscriptionState } from './subscriptions.ts';
import type { EdgeToken } from './tokens.ts';

interface FromFilesParts extends EdgeRuntime {
  readonly flags: EdgeFlags;
  readonly clock: Clock;
  /** The tokens that applications send. */
  readonly given: readonly string[];
  /** Aborts when the edge stops. */
  readonly ending: AbortSignal;
}

/** How often the files are looked at. They are read whole, because mounted files change by links elsewhere. */
const LOOK_EVERY_MS = 2_000;

/** Throws Refusal `invalid` if the files cannot be used now; later, the last good state stays. */
export async function fromFiles(path: string, parts: FromFilesParts): Promise<Served> {
  const { flags, clock, given, ending, logger } = parts;
  const tokens = new Map(given.map((value) => [digestOf(value), tokenFor(value)]));
  const environments = new Set([...tokens.values()].map(({ environment }) => environment));
  const states = new Map<string, SubscriptionState>();
  let seen = '';
  const take = async (text: string): Promise<void> => {
    const documentOf = await readFiles(path, parts);
    for (const environment of environments) {
      const document = documentOf(environment);
      const source = { key: environment, environment };
      if (document) {
        flags.replace(source, document);
        states.set(environment, { source, goodAt: Date.now() });
      } else if (states.delete(environment)) flags.drop(source);
    }
    seen = text;
  };
  const look = async (): Promise<void> => {
    const text = await digestAt(path);
    if (text !== seen) await take(text);
    else for (const [environment, { source }] of states) states.set(environment, { source, goodAt: Date.now() });
  };
  const lookSafely = async (): Promise<void> => {
    try {
      await look();
      if (failure !== '') logger.info({ path }, 'files: are used again');
      failure = '';
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (reason !== failure) logger.error({ path, reason }, 'files: cannot be used, the last good state stays');
      failure = reason;
    }
  };
  let failure = '';
  await look();

  return {
    access: edgeAccess({
      tokens: {
        lookUp: async (value) => tokens.get(digestOf(value)),
        bySha256: (sha256) => tokens.get(sha256),
        all: () => tokens.values(),
      },
      subscriptions: { isKnown: async ({ environment }) => states.has(environment) },
      whyUnknown: 'The files have none.',
      countFailure: countFailures(logger),
      now: Date.now,
    }),
    states: () => [...states.values()],
    missing: () =>
      [...environments].filter((name) => !states.has(name)).map((name) => `the files have no flags for ${name}`),
    reports: { sdk: () => undefined, evaluations: () => undefined },
    async run() {
      while (!ending.aborted) {
        await pause(clock, LOOK_EVERY_MS, ending);
        await lookSafely();
      }
    },
    stop: async () => undefined,
  };
}

/** The documents that name no environment. */
const ANY = '';

type Reader = Pick<EdgeRuntime, 'readManifests'>;

/** Gives the flags of an environment. Throws Refusal `invalid` or an error of the system if files are not usable. */
export async function readFiles(path: string, reader: Reader): Promise<(name: string) => ClientDocument | undefined> {
  const documents = await documentsIn(path, reader);
  return (environment) => documents.get(environment) ?? documents.get(ANY);
}

async function documentsIn(path: string, { readManifests }: Reader): Promise<ReadonlyMap<string, ClientDocument>> {
  const files = await filesAt(path);
  const read = await Promise.all(files.map(async (file) => ({ file, json: readJson(await readPlain(file)) })));
  if (read.length > 0 && read.every(({ json }) => isDocument(json))) {
    return byEnvironment(read);
  }
  if (readManifests) return readManifests(path);
  const what = 'is no answer of client/features and no bootstrap file of an SDK';
  throw invalid(
    `${read.find(({ json }) => !isDocument(json))?.file ?? path} ${what}: manifests are read by \`vexil edge\`, the command line`,
  );
}

/** Throws Refusal `invalid` if two files are for the same environment: the flags of one of them would be missing. */
function byEnvironment(read: readonly { readonly file: string; readonly json: unknown }[]) {
  const found = new Map<string, { readonly file: string; readonly document: ClientDocument }>();
  for (const { file, json } of read) {
    const environment = environmentIn(json);
    const other = found.get(environment)?.file;
    const which = environment === ANY ? 'any environment' : environment;
    if (other !== undefined) throw invalid(`${other} and ${file} are both for ${which}: leave one of them`);
    found.set(environment, { file, document: documentIn(file, json) });
  }
  return new Map([...found].map(([environment, { document }]) => [environment, document]));
}

/** Bootstrap files of some SDKs are the bare list of flags. */
function isDocument(json: unknown): boolean {
  return Array.isArray(json) || (isRecord(json) && Array.isArray(json['features']) && json['kind'] === undefined);
}

function environmentIn(json: unknown): string {
  const { environment } = recordOf(recordOf(json)['query']);
  return typeof environment === 'string' ? environment : ANY;
}

function documentIn(file: string, json: unknown): ClientDocument {
  const read = readDocument(Array.isArray(json) ? { features: json } : json);
  if ('problem' in read) throw invalid(`${file}: ${read.problem}`);
  return read.value;
}

function invalid(message: string): Refusal {
  return new Refusal('invalid', message);
}

const MAX_FILE_BYTES = 64 * 1024 * 1024;

/** A device has no end. */
async function readPlain(file: string): Promise<string> {
  const found = await stat(file);
  if (!found.isFile()) throw invalid(`${file} is no plain file`);
  if (found.size > MAX_FILE_BYTES) throw invalid(`${file} has more than ${MAX_FILE_BYTES} bytes`);
  return readFile(file, 'utf8');
}

/** The files of a folder with JSON, in the order of their names; files of manifests are found by their reader. */
async function filesAt(path: string): Promise<readonly string[]> {
  if (!(await stat(path)).isDirectory()) return [path];
  const root = await realpath(path);
  const names = (await readdir(path)).filter((name) => name.endsWith('.json') && !name.startsWith('.'));
  const files = names.sort().map((name) => join(path, name));
  for (const file of files) {
    if ((await placeIn(root, file)) === undefined) throw invalid(`${file} is a link that leads out of the folder`);
  }
  return files;
}

/**
 * Where a path leads; undefined: out of the folder. Mounted ConfigMaps have links within it. The author of another
 * link, for example in a pull request, may have no right to read the file that it leads to.
 */
async function placeIn(root: string, path: string): Promise<string | undefined> {
  const place = await realpath(path);
  return place.startsWith(root.endsWith(sep) ? root : `${root}${sep}`) ? place : undefined;
}

/** Changes with the content of the file, or of any file in the folder. */
async function digestAt(path: string): Promise<string> {
  const root = await realpath(path);
  return placeDigest(root, { root, seen: new Set() });
}

interface Digesting {
  readonly root: string;
  /** Folders, as a link may lead to one above it. */
  readonly seen: Set<string>;
}

async function placeDigest(place: string, digesting: Digesting): Promise<string> {
  const found = await stat(place);
  if (found.isFile() && found.size <= MAX_FILE_BYTES) return hash('sha256', await readFile(place));
  if (!found.isDirectory()) return `${found.mtimeMs}`;
  if (digesting.seen.has(place)) return 'seen';
  digesting.seen.add(place);
  const names = (await readdir(place)).filter((name) => !name.startsWith('.') && name !== 'node_modules').sort();
  const parts: string[] = [];
  for (const name of names) {
    const below = await placeIn(digesting.root, join(place, name)).catch(() => undefined);
    parts.push(name, below === undefined ? 'elsewhere' : await placeDigest(below, digesting));
  }
  return hash('sha256', parts.join('\n'));
}

/** A token of Unleash says its projects and its environment: `*:production.…`. */
const TOKEN = /^([^:]+):([^.]+)\../s;

/** What the token says about itself. Throws Refusal `invalid` if it does not. */
export function tokenFor(value: string): EdgeToken {
  const [, project, environment] = TOKEN.exec(value) ?? [];
  if (project === undefined || environment === undefined || project === '[]') {
    const form = 'project:environment.secret or *:environment.secret';
    throw invalid(`without an upstream, a token must say what it is for: ${form}`);
  }
  const projects = project === '*' ? undefined : [project];
  const facts = { sha256: digestOf(value), type: 'client', environment, projects, confirmedAt: 0 } as const;
  return { ...facts, value, isOfAnyType: true };
}
