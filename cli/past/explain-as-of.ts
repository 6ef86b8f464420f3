/** `vexil explain --as-of`: what a flag was at a past time, and what a user got. */
import type { z } from 'zod';
import { wireFeatureWithEnvironments } from '../../src/wire/admin/flag/feature.ts';
import { wireEvaluation } from '../../src/wire/playground/playground.ts';
import type { OutputOptions, ServerOptions } from '../connection/options.ts';
import { bodyAs, connectServer, type ServerConnection } from '../connection/server.ts';
import { evaluationQuery } from '../flags/evaluation-query.ts';
import { withCommits } from '../flags/explanation.ts';
import { evaluationText } from '../flags/explanation-text.ts';
import { flagOnServer, pathOfFlag } from '../flags/flag-on-server.ts';
import { table } from '../flags/table.ts';
import { jsonText, printableLines, type Terminal } from '../terminal.ts';
import { pastTimeOf } from '../time.ts';
import { type AtTime, type StatesAt, statesAt, unlessMissing } from './ask-at.ts';

export interface ExplainAsOfOptions extends ServerOptions, OutputOptions {
  readonly project?: string;
  readonly env?: string;
  readonly asOf: string;
  readonly context?: Readonly<Record<string, string>>;
}

interface PastFlag {
  readonly flag: z.infer<typeof wireFeatureWithEnvironments>;
  readonly evaluation: z.infer<typeof wireEvaluation> | undefined;
}

export async function explainAsOf(name: string, options: ExplainAsOfOptions, terminal: Terminal): Promise<void> {
  const at = pastTimeOf('--as-of', options.asOf);
  const server = await connectServer(options, terminal);
  // A flag that is gone has no project that could be looked up.
  const project = options.project ?? (await flagOnServer(server, name, undefined)).project;
  const found = await statesAt(at, (time) => readFlag(server, { project, name, options }, time));
  const head = { project, name, asOf: at };
  terminal.write(options.output === 'json' ? asJson(head, found) : asText(head, found));
}

interface ExplainAsOf {
  readonly project: string;
  readonly name: string;
  readonly options: Pick<ExplainAsOfOptions, 'env' | 'context'>;
}

/** Undefined: there was no such flag, or an archived one. */
async function readFlag(
  server: ServerConnection,
  { project, name, options }: ExplainAsOf,
  time: AtTime,
): Promise<PastFlag | undefined> {
  const path = pathOfFlag({ project, name });
  const found = await unlessMissing(server.call({ method: 'GET', path, query: { ...time } }));
  if (!found) return undefined;
  const flag = bodyAs(wireFeatureWithEnvironments, found);
  const query = evaluationQuery({ context: options.context ?? {}, environment: options.env, at: time.at });
  const call = { method: 'GET', path: `${path}/evaluate`, query: { ...query, inGap: time.inGap } } as const;
  const evaluation = await unlessMissing(server.call(call));
  return { flag, evaluation: evaluation && bodyAs(wireEvaluation, evaluation) };
}

interface Head {
  readonly project: string;
  readonly name: string;
  readonly asOf: string;
}

type FlagStates = StatesAt<PastFlag | undefined>;

function asJson(head: Head, { states, uncertain }: FlagStates): string {
  const shown = states.map(({ when, value }) => ({
    when,
    flag: value?.flag ?? null,
    evaluation: value?.evaluation ?? null,
  }));
  return jsonText({ ...head, certain: uncertain.length === 0, uncertain, states: shown });
}

const SIDES = { certain: '', before: 'Before the change:\n', after: 'After the change:\n' };

function asText({ project, name, asOf }: Head, { states, uncertain }: FlagStates): string {
  const lines = [`${project}/${name} as of ${asOf}`, ...uncertain.map((message) => `uncertain: ${message}`)];
  const head = printableLines(lines);
  return [head, ...states.map(({ when, value }) => `${SIDES[when]}${stateText(value)}`)].join('\n');
}

function stateText(state: PastFlag | undefined): string {
  if (!state) return 'There was no such flag, or it was archived.\n';
  const { flag, evaluation } = state;
  const rows = flag.environments.map(({ name, enabled, strategies }) => [
    name,
    enabled ? 'on' : 'off',
    `${strategies.length}`,
  ]);
  const environments = table([['ENVIRONMENT', 'IN EFFECT', 'STRATEGIES'], ...rows]);
  return evaluation
    ? `${environments}\n${evaluationText({ evaluation: withCommits(evaluation, undefined) })}`
    : environments;
}
