/** `vexil explain`: shows what a flag asks for, what is in effect, and why. */
import type { Environment } from '../../src/schema/environment.ts';
import { wireEvaluation } from '../../src/wire/playground/playground.ts';
import { withCluster } from '../connection/cluster.ts';
import { environmentsInCluster } from '../connection/environments.ts';
import type { ClusterOptions, OutputOptions, ServerOptions } from '../connection/options.ts';
import { bodyAs, connectServer } from '../connection/server.ts';
import { Failure } from '../failure.ts';
import { EXIT, jsonText, type Terminal } from '../terminal.ts';
import { timeOf } from '../time.ts';
import { evaluationQuery } from './evaluation-query.ts';
import { explanationOf, isPlanInStatus, withCommits } from './explanation.ts';
import { explanationText } from './explanation-text.ts';
import { flagInCluster } from './flag-in-cluster.ts';
import { pathOfFlag } from './flag-on-server.ts';
import { flagSource } from './flag-source.ts';
import { type ProtectionOptions, protectionOf } from './protection.ts';

export interface ExplainOptions extends ClusterOptions, ServerOptions, OutputOptions, ProtectionOptions {
  readonly project?: string;
  readonly env?: string;
  readonly at?: string;
  readonly context?: Readonly<Record<string, string>>;
}

const NONE = new Map<string, Environment>();

export async function runExplain(name: string, options: ExplainOptions, terminal: Terminal): Promise<void> {
  const { project, namespace, env } = options;
  const at = timeOf(options.at, terminal.now());
  const isNow = options.at === undefined;
  const asksServer = options.server !== undefined || options.context !== undefined;
  const server = asksServer ? await connectServer(options, terminal) : undefined;
  const found = await withCluster(options, terminal, async (cluster) => {
    const flag = await flagInCluster(cluster, { name, project, namespace });
    const environments = isPlanInStatus(flag, isNow) ? NONE : (await environmentsInCluster(cluster, terminal))(flag);
    return { flag, environments, source: await flagSource(cluster, flag.metadata) };
  });
  const isProtected = await protectionOf(found.flag, { options, server, terminal });
  const { flag, ...around } = found;
  const stated = explanationOf(flag, { ...around, at, isNow, isProtected });
  const path = pathOfFlag({ project: stated.project, name }, 'evaluate');
  const query = evaluationQuery({ context: options.context ?? {}, environment: env, at: options.at });
  const answer = await server?.call({ method: 'GET', path, query });
  const environments = stated.environments.filter((one) => env === undefined || one.name === env);
  if (env !== undefined && environments.length === 0 && !answer) {
    throw new Failure(`the flag "${name}" does not configure the environment "${env}": it is off there`, EXIT.noInput);
  }
  const explanation = {
    ...stated,
    environments,
    ...(answer && { evaluation: withCommits(bodyAs(wireEvaluation, answer), found.source) }),
  };
  terminal.write(options.output === 'json' ? jsonText(explanation) : explanationText(explanation));
}
