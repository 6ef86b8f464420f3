/** `vexil archive`: names the applications that use a flag, then archives it. */
import { memberElement, textOf } from '../../src/kube/object/field-set.ts';
import { wireFeatureUsage } from '../../src/wire/admin/client-metrics.ts';
import { confirm } from '../confirm.ts';
import { bodyAs, connectServer, pathOf, type ServerConnection } from '../connection/server.ts';
import { Failure } from '../failure.ts';
import { EXIT, type Terminal } from '../terminal.ts';
import { type ChangeOptions, makeChange } from './change.ts';
import { flagOnServer, pathOfFlag } from './flag-on-server.ts';

export interface ArchiveOptions extends ChangeOptions {
  readonly yes: boolean;
}

export async function runArchive(name: string, options: ArchiveOptions, terminal: Terminal): Promise<void> {
  const server = await connectServer(options, terminal);
  const flag = await flagOnServer(server, name, options.project);
  const { project } = flag;
  const shown = `${project}/${flag.name}`;
  const applications = options.patch ? undefined : await applicationsOf(server, flag.name);

  async function warnAndConfirm(warnings: readonly string[]): Promise<void> {
    terminal.writeError(`${sentenceOf(applications)}\n`);
    for (const warning of options.yes ? [] : warnings) terminal.writeError(`warning: ${warning}\n`);
    const question = `Archive ${shown}? It goes off in all environments.`;
    await confirm({ question, otherwise: 'nothing was changed', yes: options.yes }, terminal);
  }

  const change = {
    server,
    flag,
    call: { method: 'DELETE', path: pathOfFlag(flag) },
    command: `vexil archive ${flag.name}`,
    fields: [textOf([memberElement('archived')])],
    confirm: warnAndConfirm,
    done: async () => {
      const done = { project, feature: flag.name, archived: true, applications: applications ?? null };
      return [`${shown} is archived`, done] as const;
    },
  } as const;
  await makeChange(change, options, terminal);
}

/**
 * Returns the applications that asked for the flag in the last 24 hours, in any environment; undefined if that is not
 * known at the moment.
 */
async function applicationsOf(server: ServerConnection, name: string): Promise<readonly string[] | undefined> {
  try {
    const answer = await server.call({ method: 'GET', path: pathOf('client-metrics', 'features', name) });
    return bodyAs(wireFeatureUsage, answer).seenApplications;
  } catch (error) {
    if (error instanceof Failure && error.status === EXIT.unavailable) return undefined;
    throw error;
  }
}

function sentenceOf(applications: readonly string[] | undefined): string {
  if (!applications) return 'Which applications asked for the flag in the last 24 hours is not known at the moment.';
  if (applications.length === 0) return 'No application asked for the flag in the last 24 hours.';
  return `Applications that asked for the flag in the last 24 hours: ${applications.join(', ')}.`;
}
