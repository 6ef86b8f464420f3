/** `vexil edge check`: what the edge would serve, and from where. */

import { connectUpstreams } from './from-upstream.ts';
import { givenTokens } from './given-tokens.ts';
import type { EdgeRuntime } from './served.ts';
import type { EdgeSettings } from './settings.ts';
import { isUpstreamError } from './upstream/errors.ts';
import type { Upstream, ValidToken } from './upstream/upstream.ts';

export interface Checked {
  readonly text: string;
  /** Whether each upstream answers, knows each token, and sends flags. */
  readonly isGood: boolean;
}

const WITHIN_MS = 15_000;

/** Asks each upstream what its tokens are for and how many flags they get. Starts nothing. */
export async function checkEdge(
  settings: EdgeSettings,
  runtime: Pick<EdgeRuntime, 'version' | 'environment'>,
): Promise<Checked> {
  const tokens = await givenTokens(settings);
  const { list, close } = await connectUpstreams(settings, { ...runtime, instanceId: 'check' });
  const results = await Promise.all(list.map((upstream) => checkUpstream(upstream, tokens)));
  close();
  const lines = [
    ...(tokens.length === 0 ? ['No token is given: tokens of callers are asked about when they come.'] : []),
    ...results.flatMap(({ lines: some }) => some),
  ];
  return { text: `${lines.join('\n')}\n`, isGood: results.every(({ isGood }) => isGood) };
}

interface CheckedUpstream {
  readonly lines: readonly string[];
  readonly isGood: boolean;
}

async function checkUpstream(upstream: Upstream, tokens: readonly string[]): Promise<CheckedUpstream> {
  const signal = AbortSignal.timeout(WITHIN_MS);
  try {
    const valid = await upstream.validate(tokens, signal);
    const lines = await Promise.all(valid.map((token) => lineOf(upstream, token, signal)));
    const wrong = tokens.length - valid.length;
    const notes = wrong === 0 ? [] : [`  ${wrong} of ${tokens.length} tokens: not known there, or not for SDKs`];
    return { lines: [upstream.name, ...lines, ...notes], isGood: wrong === 0 };
  } catch (error) {
    if (!isUpstreamError(error) && !signal.aborted) throw error;
    const reason = signal.aborted ? `no answer within ${WITHIN_MS / 1000} s` : (error as Error).message;
    return { lines: [upstream.name, `  cannot be read: ${reason}`], isGood: false };
  }
}

async function lineOf(upstream: Upstream, { token, type, environment, projects }: ValidToken, signal: AbortSignal) {
  const scope = `${environment}, ${projects ? `projects ${projects.join(', ')}` : 'all projects'}`;
  if (type === 'frontend') return `  frontend token: ${scope}`;
  const { document } = await upstream.poll(token, undefined, signal);
  const count = document?.features.length ?? 0;
  const on = document?.features.filter(({ enabled }) => enabled).length ?? 0;
  return `  client token: ${scope}: ${count} flags, ${on} of them on`;
}
