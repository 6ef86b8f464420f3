/** `vexil edge check`: what the edge would serve, and from where. */

import { isKnownError } from '../errors.ts';
import type { ReadFeature } from '../wire/client/read-document.ts';
import { readFiles, tokenFor } from './from-files.ts';
import { connectUpstreams } from './from-upstream.ts';
import { givenTokens } from './given-tokens.ts';
import type { EdgeRuntime } from './served.ts';
import type { EdgeSettings } from './settings.ts';
import { isUpstreamError } from './upstream/errors.ts';
import type { Upstream, ValidToken } from './upstream/upstream.ts';

export interface Checked {
  readonly text: string;
  /** Whether each upstream answers, knows each token, and sends flags, or the files have flags for each token. */
  readonly isGood: boolean;
}

const WITHIN_MS = 15_000;

/** Asks each upstream what its tokens are for and how many flags they get, or reads the files. Starts nothing. */
export async function checkEdge(
  settings: EdgeSettings,
  runtime: Pick<EdgeRuntime, 'version' | 'environment' | 'readManifests'>,
): Promise<Checked> {
  const tokens = await givenTokens(settings);
  if (settings.from !== undefined) return textOf([await checkFiles(settings.from, tokens, runtime)]);
  const { list, close } = await connectUpstreams(settings, { ...runtime, instanceId: 'check' });
  const results = await Promise.all(list.map((upstream) => checkUpstream(upstream, tokens)));
  close();
  const lines = tokens.length > 0 ? [] : ['No token is given: tokens of callers are asked about when they come.'];
  return textOf([{ lines, isGood: true }, ...results]);
}

function textOf(checked: readonly CheckedSource[]): Checked {
  const lines = checked.flatMap((one) => one.lines);
  return { text: `${lines.join('\n')}\n`, isGood: checked.every(({ isGood }) => isGood) };
}

interface CheckedSource {
  readonly lines: readonly string[];
  readonly isGood: boolean;
}

async function checkUpstream(upstream: Upstream, tokens: readonly string[]): Promise<CheckedSource> {
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

async function lineOf(upstream: Upstream, token: ValidToken, signal: AbortSignal) {
  if (token.type === 'frontend') return `  frontend token: ${scopeText(token)}`;
  const { document } = await upstream.poll(token.token, undefined, signal);
  return `  client token: ${scopeText(token)}: ${countText(document?.features ?? [])}`;
}

function scopeText({ environment, projects }: Pick<ValidToken, 'environment' | 'projects'>): string {
  return `${environment}, ${projects ? `projects ${projects.join(', ')}` : 'all projects'}`;
}

function countText(features: readonly ReadFeature[]): string {
  return `${features.length} flags, ${features.filter(({ enabled }) => enabled).length} of them on`;
}

type Reader = Pick<EdgeRuntime, 'readManifests'>;

async function checkFiles(path: string, tokens: readonly string[], reader: Reader): Promise<CheckedSource> {
  try {
    const documentOf = await readFiles(path, reader);
    const checked = tokens.map(tokenFor).map(({ environment, projects }) => {
      const features = documentOf(environment)?.features;
      const own = features?.filter(({ project }) => projects?.includes(project) !== false);
      const found = own ? countText(own) : 'the files have no flags for this environment';
      return { line: `  token: ${scopeText({ environment, projects })}: ${found}`, isGood: own !== undefined };
    });
    return { lines: [path, ...checked.map(({ line }) => line)], isGood: checked.every(({ isGood }) => isGood) };
  } catch (error) {
    if (!isKnownError(error) && (error as NodeJS.ErrnoException).syscall === undefined) throw error;
    return { lines: [path, `  cannot be used: ${(error as Error).message}`], isGood: false };
  }
}
