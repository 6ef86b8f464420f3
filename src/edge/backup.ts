/** The last good state on disk: the flags of each scope and the known tokens, for a start without the upstream. */
import { hash } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { readJson } from '../model/json.ts';
import type { Logger } from '../telemetry/logger.ts';
import { readDocument } from '../wire/client/read-document.ts';
import type { RestoredState } from './subscriptions.ts';
import type { TokenFacts } from './tokens.ts';

export interface Backup {
  /** The state of each scope by the key of its source, and the tokens. Damaged files are moved aside. */
  load(): Promise<LoadedBackup>;
  saveScope(key: string, state: SavedState): Promise<void>;
  removeScope(key: string): Promise<void>;
  saveTokens(tokens: readonly TokenFacts[]): Promise<void>;
}

/** `document` is JSON. */
interface SavedState extends Pick<RestoredState, 'goodAt'> {
  readonly document: string;
}

export interface LoadedBackup {
  readonly scopes: ReadonlyMap<string, RestoredState>;
  readonly tokens: readonly TokenFacts[];
}

const TOKENS_FILE = 'tokens.json';
const SCOPE_FILE = /^flags-[0-9a-f]{16}\.json$/;
/** Files of newer versions of Vexil are not read. */
const FORMAT = 1;

const tokensShape = z.array(
  z.object({
    sha256: z.string(),
    type: z.enum(['client', 'frontend']),
    environment: z.string(),
    projects: z.array(z.string()).optional(),
    confirmedAt: z.number(),
  }),
);
const scopeShape = z.object({ key: z.string(), goodAt: z.number(), document: z.unknown() });

export function createBackup(folder: string, logger: Logger): Backup {
  const save = async (name: string, text: string): Promise<void> => {
    const head = JSON.stringify({ format: FORMAT, sha256: hash('sha256', text) });
    await writeWhole(join(folder, name), `${head}\n${text}\n`);
  };
  const setAside = async (name: string, reason: string): Promise<undefined> => {
    const to = `${name}.damaged-${new Date().toISOString().replaceAll(':', '-')}`;
    await rename(join(folder, name), join(folder, to));
    logger.error({ file: name, movedTo: to, reason }, 'backup: a damaged file is moved aside and not served');
    return undefined;
  };
  const read = async <V>(name: string, from: (content: unknown) => V): Promise<V | undefined> => {
    try {
      return from(contentOf(await readFile(join(folder, name), 'utf8')));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      return setAside(name, error instanceof Error ? error.message : String(error));
    }
  };
  return {
    async load() {
      await mkdir(folder, { recursive: true });
      const scopes = new Map<string, RestoredState>();
      for (const name of (await readdir(folder)).filter((one) => SCOPE_FILE.test(one))) {
        const found = await read(name, scopeIn);
        if (found) scopes.set(found.key, found);
      }
      return { scopes, tokens: (await read(TOKENS_FILE, tokensIn)) ?? [] };
    },
    saveScope: (key, { goodAt, document }) =>
      save(fileOf(key), `{"key":${JSON.stringify(key)},"goodAt":${goodAt},"document":${document}}`),
    removeScope: (key) => rm(join(folder, fileOf(key)), { force: true }),
    saveTokens: (tokens) => save(TOKENS_FILE, JSON.stringify(tokens.map(factsOf))),
  };
}

/** Without the value. */
function factsOf({ sha256, type, environment, projects, confirmedAt }: TokenFacts): TokenFacts {
  return { sha256, type, environment, projects, confirmedAt };
}

function fileOf(key: string): string {
  return `flags-${hash('sha256', key).slice(0, 16)}.json`;
}

/** Throws if the file is not as it was written. */
function contentOf(text: string): unknown {
  const end = text.indexOf('\n');
  const { format, sha256 } = z.object({ format: z.number(), sha256: z.string() }).parse(readJson(text.slice(0, end)));
  if (format !== FORMAT) throw new Error(`its format is ${format}, and this version reads ${FORMAT}`);
  const content = text.slice(end + 1, -1);
  if (hash('sha256', content) !== sha256) throw new Error('its content does not match its checksum');
  return readJson(content);
}

function tokensIn(content: unknown): readonly TokenFacts[] {
  return tokensShape.parse(content).map(({ projects, ...facts }) => ({ ...facts, projects }));
}

function scopeIn(content: unknown): RestoredState & { readonly key: string } {
  const { key, goodAt, document } = scopeShape.parse(content);
  const read = readDocument(document);
  if ('problem' in read) throw new Error(read.problem);
  return { key, goodAt, document: read.value };
}

/** A crash leaves the old file or the new one, never a part. */
async function writeWhole(path: string, text: string): Promise<void> {
  const temporary = `${path}.tmp`;
  // A link under this name is not followed.
  await rm(temporary, { force: true });
  const file = await open(temporary, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, path);
}
