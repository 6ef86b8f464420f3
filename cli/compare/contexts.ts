/** The contexts for which two servers are compared: from a file, or made to reach every branch of each flag. */
import { readFile } from 'node:fs/promises';
import { isRecord } from '../../src/model/json.ts';
import { InputError } from '../input-error.ts';
import type { ComparedContext } from './compared-context.ts';
import { type Branch, type Coverage, createCoverage } from './coverage.ts';
import type { DocumentFlags } from './flags-of.ts';
import { ANOTHER, type FieldValues } from './values.ts';

/** Reads a list of contexts as SDKs write them, or one context a line. Throws an InputError. */
export async function readContexts(file: string): Promise<readonly ComparedContext[]> {
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw new InputError(`cannot read the contexts: ${error.message}`);
  });
  const list = text.trimStart().startsWith('[')
    ? parsed(text, file)
    : linesOf(text).map((line, index) => parsed(line, `${file}:${index + 1}`));
  if (!Array.isArray(list) || list.length === 0) throw new InputError(`${file} has no context`);
  return list.map((one, index) => contextOf(one, `${file}: context ${index + 1}`));
}

function linesOf(text: string): readonly string[] {
  return text.split('\n').filter((line) => line.trim() !== '');
}

function parsed(text: string, place: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new InputError(`${place} is no JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function contextOf(value: unknown, place: string): ComparedContext {
  if (!isRecord(value)) throw new InputError(`${place} is no object`);
  const { properties, ...fields } = value;
  const all = { ...(isRecord(properties) && properties), ...fields };
  const known = Object.entries(all).filter(([, one]) => ['string', 'number', 'boolean'].includes(typeof one));
  return Object.fromEntries(known.map(([name, one]) => [name, String(one)]));
}

export interface Making {
  /** The flags of both servers in each environment. */
  readonly flags: readonly DocumentFlags[];
  readonly values: FieldValues;
  readonly count: number;
  /** Returns a number from 0 up to but excluding 1; the same for the same seed. */
  readonly random: () => number;
}

export interface MadeContexts {
  readonly contexts: readonly ComparedContext[];
  readonly coverage: Coverage;
}

/** The share of contexts that are made by chance, as applications send them; the others reach a branch. */
const BY_CHANCE = 0.4;
/** A rollout of 1 % is reached by one of 100 users. */
const ATTEMPTS = 1000;

export function makeContexts({ flags, values, count, random }: Making): MadeContexts {
  const coverage = createCoverage(flags);
  const contexts: ComparedContext[] = [];
  const take = (context: ComparedContext) => {
    contexts.push(context);
    coverage.take(context);
  };
  const any = createAnyContext(values, random);
  for (let index = 0; index < count * BY_CHANCE; index += 1) take(any());
  for (const branch of coverage.missing()) {
    if (contexts.length >= count) break;
    const context = coverage.isReached(branch) ? undefined : reaching(branch, any);
    if (context) take(context);
  }
  while (contexts.length < count) take(any());
  return { contexts, coverage };
}

function reaching(branch: Branch, any: (fields: ReadonlySet<string>) => ComparedContext): ComparedContext | undefined {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const context = any(branch.fields);
    if (branch.isReachedBy(context)) return context;
  }
  return undefined;
}

/** Makes a context with the given fields, and each other one with the same chance as without it. */
function createAnyContext(values: FieldValues, random: () => number) {
  let user = 0;
  const isThere = (field: string, isWanted: boolean): boolean => {
    const chance = OWN.includes(field) ? OWN_CHANCE : EVEN_CHANCE;
    return random() < (isWanted ? ALMOST_ALWAYS : chance);
  };
  const pick = (list: readonly string[]): string => {
    const isAnother = list.includes(ANOTHER) && random() < EVEN_CHANCE;
    const value = isAnother ? ANOTHER : (list[Math.floor(random() * list.length)] ?? ANOTHER);
    return value === ANOTHER ? `value-${user}` : value;
  };
  return (fields: ReadonlySet<string> = new Set()): ComparedContext => {
    user += 1;
    const chosen = [...values].filter(([field]) => isThere(field, fields.has(field)));
    const fieldsOfOthers = chosen.map(([field, list]) => [field, pick(list)] as const);
    return { userId: `user-${user}`, sessionId: `session-${user}`, ...Object.fromEntries(fieldsOfOthers) };
  };
}

const ALMOST_ALWAYS = 0.9;
const EVEN_CHANCE = 0.5;
const OWN_CHANCE = 0.25;
/** Mostly users of their own, so that all shares of rollouts are there; and mostly the time of now. */
const OWN: readonly string[] = ['userId', 'sessionId', 'currentTime'];
