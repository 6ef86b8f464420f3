/** A change of a flag through the API, which respects the owners of fields. */
import { wireHandOver } from '../../src/wire/admin/flag/ownership.ts';
import type { OutputOptions, ServerOptions } from '../connection/options.ts';
import { type ApiAnswer, type ApiCall, ApiFailure, bodyAs, type ServerConnection } from '../connection/server.ts';
import { Failure } from '../failure.ts';
import { EXIT, jsonText, type Terminal } from '../terminal.ts';
import { type FlagOfProject, pathOfFlag } from './flag-on-server.ts';

export interface ChangeOptions extends ServerOptions, OutputOptions {
  readonly project?: string;
  readonly force: boolean;
  readonly handOver: boolean;
  readonly patch: boolean;
  /** Why, for the history. */
  readonly reason?: string;
}

export interface Change {
  readonly server: ServerConnection;
  readonly flag: FlagOfProject;
  readonly call: Pick<ApiCall, 'method' | 'path' | 'body'>;
  /** The command that makes the change, without the options that resolve a conflict. */
  readonly command: string;
  /** The fields to hand over; if absent, those that a GitOps tool owns. */
  readonly fields?: readonly string[];
  /**
   * Shows the warnings of a dry run, and throws a Failure unless the user wants the change. If absent, the command does
   * not ask.
   */
  readonly confirm?: (warnings: readonly string[]) => Promise<void>;
  /** Returns the message for a change that was made, as text and as an object for programs. */
  readonly done: () => Promise<readonly [text: string, object: object]>;
}

/** Throws a Failure with the ways to resolve the conflict if a GitOps tool owns a field. */
export async function makeChange(change: Change, options: ChangeOptions, terminal: Terminal): Promise<void> {
  if (options.patch) {
    terminal.write(await changeForGit(change, options));
    return;
  }
  if (options.handOver) await handOver(change, terminal);
  const attempt = (query: ApiCall['query']) =>
    send(change, { ...query, force: options.force || undefined, reason: options.reason }).catch((error: unknown) => {
      throw isOwned(error) ? ownedFields(error, change, options) : error;
    });
  if (change.confirm) await change.confirm((await attempt({ dryRun: true })).warnings);
  const { warnings } = await attempt({});
  for (const warning of warnings) terminal.writeError(`warning: ${warning}\n`);
  const [text, object] = await change.done();
  terminal.write(options.output === 'json' ? `${JSON.stringify(object)}\n` : `${text}\n`);
}

function send({ server, call }: Change, query: ApiCall['query'] = {}, accept = 'application/json'): Promise<ApiAnswer> {
  return server.call({ ...call, query, accept });
}

function isOwned(error: unknown): error is ApiFailure {
  return error instanceof ApiFailure && error.code === 'FieldManagedError';
}

/** Returns the change for Git as YAML, or as JSON that also contains the merge patch of each source. Writes nothing. */
async function changeForGit(change: Change, { output, reason }: ChangeOptions): Promise<string> {
  try {
    const { body } = await send(change, { dryRun: true, reason }, 'application/yaml');
    return output === 'json' ? jsonText({ sources: [{ manager: null, yaml: body }] }) : String(body);
  } catch (error) {
    if (!isOwned(error)) throw error;
    const sources = error.sources.filter(({ yaml }) => yaml !== undefined);
    if (sources.length === 0) throw new Failure(`${error.message} The change is too long to print.`, EXIT.findings);
    if (output === 'json') return jsonText({ sources });
    return sources.map(({ manager, yaml = '' }) => `# For ${manager}\n${yaml}`).join('---\n');
  }
}

/** Makes Vexil another owner of the fields. The values stay until the tool drops the fields. */
async function handOver(change: Change, terminal: Terminal): Promise<void> {
  const { server, flag, fields = await refusedFields(change) } = change;
  if (fields.length === 0) return;
  const path = pathOfFlag(flag, 'ownership');
  const { nextStep } = bodyAs(wireHandOver, await server.call({ method: 'POST', path, body: { fields } }));
  terminal.writeError(`${fields.join(', ')} ${fields.length === 1 ? 'is' : 'are'} handed over. ${nextStep}\n`);
}

/** Returns the fields of the change that a GitOps tool owns. */
async function refusedFields(change: Change): Promise<readonly string[]> {
  try {
    await send(change, { dryRun: true });
    return [];
  } catch (error) {
    if (!isOwned(error)) throw error;
    return error.details.flatMap(({ path }) => path ?? []);
  }
}

function ownedFields({ details }: ApiFailure, change: Change, options: ChangeOptions): Failure {
  const command = `${change.command}${options.project === undefined ? '' : ` --project ${options.project}`}`;
  const fields = details.filter(({ path }) => path !== undefined).map(({ message }) => message);
  const [it, isIt] = fields.length === 1 ? ['the field', 'it'] : ['the fields', 'them'];
  const ways = [
    ['Change the source:', `${command} --patch`, 'prints what to commit'],
    [`Hand ${it} over:`, `${command} --hand-over`, `then remove ${isIt} from the source, and run the command again`],
    ['Force the change:', `${command} --force`, 'the tool may revert it'],
  ];
  const lines = ways.map(([way = '', run, note]) => `  ${way.padEnd(22)} ${run}   (${note})`);
  return new Failure([...fields, 'Nothing was changed. Ways to resolve it:', ...lines].join('\n'), EXIT.findings);
}
