/** `vexil import --from-url`: reads a running Unleash and writes manifests, one folder for each project. */
import { mkdir, readFile } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import { manifestText } from '../../../src/wire/admin/manifest.ts';
import { Failure } from '../../failure.ts';
import { writeManifestFiles } from '../../files/manifest-file.ts';
import { openPrivateFile } from '../../files/private-file.ts';
import { readSources } from '../../manifests/source.ts';
import { EXIT, type Terminal } from '../../terminal.ts';
import { importJson, importNotes, importSummary, lossesIn } from '../report.ts';
import { applyImport } from './apply-import.ts';
import { importServer, type ServerImport } from './import-server.ts';
import { type Journal, openJournal, withoutJournal } from './journal.ts';
import { connectOldServer } from './old-server.ts';
import { type ReadServer, readServer } from './read-server.ts';

export interface FromServerOptions {
  readonly fromUrl: string;
  readonly fromTokenFile?: string;
  readonly to?: string;
  readonly secrets?: string;
  readonly apply: boolean;
  readonly yes: boolean;
  readonly namespace: string;
  readonly operatorNamespace: string;
  readonly context?: readonly string[];
  readonly overwrite: boolean;
  readonly output: 'text' | 'json';
  readonly kubeconfig?: string;
  readonly kubeContext?: string;
}

const JOURNAL = '.vexil-import.ndjson';

export async function runFromServer(options: FromServerOptions, terminal: Terminal): Promise<void> {
  const { to, secrets, apply, output, context = [] } = options;
  refuseWrong(options);
  const read = await readAll(options, terminal);
  const { files, ...imported } = await importServer(read, {
    ...options,
    context: await readSources(context, terminal.standardInput),
    now: terminal.now(),
    folders: 'projects',
  });
  const written =
    to === undefined
      ? { written: [], unchanged: [] }
      : await writeManifestFiles(to, files, { overwrite: options.overwrite });
  if (secrets !== undefined) await writeSecrets(secrets, imported);
  const report = { ...imported, ...written };
  terminal.writeError(importNotes(report));
  for (const note of notesOf(imported, options)) terminal.writeError(`note: ${note}\n`);
  terminal.write(output === 'json' ? importJson(report) : importSummary(report, to));
  const isApplied = !apply || (await applyImport({ files, secrets: imported.secrets }, options, terminal));
  terminal.exit(lossesIn(imported.unmapped).length > 0 || !isApplied ? EXIT.findings : EXIT.ok);
}

function notesOf({ notes, secrets }: Pick<ServerImport, 'notes' | 'secrets'>, options: FromServerOptions) {
  const isKept = options.secrets !== undefined || options.apply || secrets.length === 0;
  return isKept
    ? notes
    : [...notes, `the values of ${secrets.length} tokens are not written: give --secrets FILE, or --apply`];
}

/** Manifests are for Git, where a secret must not be. */
function refuseWrong({ to, secrets, apply }: FromServerOptions): void {
  if (to === undefined && !apply) throw new Failure('name a folder with --to, or give --apply', EXIT.usage);
  if (to === undefined || secrets === undefined) return;
  const below = relative(resolve(to), resolve(secrets));
  if (below === '..' || below.startsWith(`..${sep}`)) return;
  throw new Failure(`${secrets} is in ${to}: keep the values of tokens out of the folder for Git`, EXIT.usage);
}

async function writeSecrets(file: string, { secrets }: Pick<ServerImport, 'secrets'>): Promise<void> {
  const handle = await openPrivateFile(file, 'w');
  await handle.writeFile(manifestText(secrets));
  await handle.close();
}

async function readAll(options: FromServerOptions, terminal: Terminal): Promise<ReadServer> {
  const ending = new AbortController();
  terminal.onStop(() => ending.abort());
  const onPause = (sentence: string) => terminal.writeError(`${sentence}\n`);
  const token = await tokenOf(options, terminal);
  const server = connectOldServer({ url: options.fromUrl, token, ending: ending.signal, onPause });
  const journal = await journalOf(options, server.address, terminal);
  if (journal.size > 0) terminal.writeError(`${journal.size} flags are here from an interrupted reading\n`);
  try {
    const read = await readServer({ server, journal, onFlag: progress(terminal) });
    await journal.remove();
    return read;
  } catch (error) {
    await journal.close();
    if (!ending.signal.aborted) throw error;
    throw new Failure('interrupted: the same command goes on from here within an hour', EXIT.interrupted);
  }
}

async function journalOf({ to }: FromServerOptions, address: string, { now }: Terminal): Promise<Journal> {
  if (to === undefined) return withoutJournal;
  await mkdir(to, { recursive: true });
  return openJournal({ file: join(to, JOURNAL), address, now: now() });
}

const SAY_EVERY = 200;

function progress({ writeError }: Terminal): (done: number, of: number) => void {
  return (done, of) => {
    if (done % SAY_EVERY === 0 || done === of) writeError(`${done} of ${of} flags are read\n`);
  };
}

/** There is no option for the token itself: other users of the machine can read the command lines of processes. */
async function tokenOf({ fromTokenFile }: FromServerOptions, { environment }: Terminal): Promise<string> {
  const text =
    fromTokenFile === undefined
      ? environment['UNLEASH_TOKEN']
      : await readFile(fromTokenFile, 'utf8').catch((error: Error) => {
          throw new Failure(`cannot read the token file: ${error.message}`, EXIT.noInput, error);
        });
  const token = text?.trim();
  if (token) return token;
  const where = 'put it in UNLEASH_TOKEN, or its file in --from-token-file';
  throw new Failure(`this needs an admin token of Unleash: ${where}`, EXIT.usage);
}
