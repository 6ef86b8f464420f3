/** Compares what two servers give to the same users. */

import type { DocumentFlags, Evaluated, FieldsOfContext } from '../../src/evaluation/contexts/document-flags.ts';
import { mapBounded } from '../connection/map-bounded.ts';
import { reasonOf } from './reason.ts';
import type { FrontendAnswer, Side } from './side.ts';

/** What one user gets: `on`, `off`, `on, variant blue`, or `absent`. */
export interface DifferingUser {
  readonly context: FieldsOfContext;
  readonly a: string;
  readonly b: string;
  readonly whyA: string;
  readonly whyB: string;
}

export interface Difference {
  readonly environment: string;
  readonly flag: string;
  /** Whether SDKs differ, which evaluate the document, or the answers of the frontend API. */
  readonly where: 'document' | 'frontend';
  /** The number of contexts that get something else. */
  readonly count: number;
  /** The first ones. */
  readonly users: readonly DifferingUser[];
}

export interface ComparedEnvironment {
  readonly contexts: readonly FieldsOfContext[];
  readonly environment: string;
  readonly a: DocumentFlags;
  readonly b: DocumentFlags;
}

const MAX_USERS = 3;
const CONCURRENCY = 16;

export function compareDocuments({ environment, a, b, contexts }: ComparedEnvironment): readonly Difference[] {
  return allNames(a, b).flatMap((flag) => {
    const differing = contexts.filter((context) => !isSame(a.evaluate(flag, context), b.evaluate(flag, context)));
    const users = differing.slice(0, MAX_USERS).map((context) => userOf({ flag, context, a, b }));
    return users.length > 0 ? [{ environment, flag, where: 'document', count: differing.length, users }] : [];
  });
}

interface Frontends {
  readonly sides: readonly [Side, Side];
  readonly onContext: (done: number) => void;
}

export async function compareFrontends(
  compared: ComparedEnvironment,
  { sides: [sideA, sideB], onContext }: Frontends,
): Promise<readonly Difference[]> {
  const { environment, a, b, contexts } = compared;
  const names = allNames(a, b);
  const found = new Map<string, DifferingUser[]>();
  let done = 0;
  const compareFor = async (context: FieldsOfContext) => {
    const answers = await Promise.all([sideA.frontend(environment, context), sideB.frontend(environment, context)]);
    for (const flag of names) {
      const user = differingUser(answers, { flag, context, a, b });
      if (user) found.set(flag, [...(found.get(flag) ?? []), user]);
    }
    done += 1;
    onContext(done);
  };
  await mapBounded(contexts, compareFor, CONCURRENCY);
  return [...found]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([flag, users]) => ({
      environment,
      flag,
      where: 'frontend',
      count: users.length,
      users: users.slice(0, MAX_USERS),
    }));
}

/** Undefined if both say the same, or if chance decides. */
function differingUser(
  answers: readonly ReadonlyMap<string, FrontendAnswer>[],
  asked: ComparedFlag,
): DifferingUser | undefined {
  const [saidA = 'off', saidB = 'off'] = answers.map((answer) => frontendWords(answer.get(asked.flag)));
  if (saidA === saidB || isRandom(asked)) return undefined;
  return { ...userOf(asked), a: saidA, b: saidB };
}

function allNames(a: DocumentFlags, b: DocumentFlags): readonly string[] {
  return [...new Set([...a.names, ...b.names])].sort();
}

function isSame(one: Evaluated | undefined, other: Evaluated | undefined): boolean {
  return words(one) === words(other) && payloadOf(one) === payloadOf(other);
}

function payloadOf(evaluated: Evaluated | undefined): string | undefined {
  return JSON.stringify(
    evaluated?.variant?.payload && [evaluated.variant.payload.type, evaluated.variant.payload.value],
  );
}

function isRandom({ a, b, flag, context }: ComparedFlag): boolean {
  return [a, b].some((one) => one.evaluate(flag, context)?.isRandom === true);
}

function words(evaluated: Evaluated | undefined): string {
  if (!evaluated) return 'absent';
  if (!evaluated.enabled) return 'off';
  return evaluated.variant ? `on, variant ${evaluated.variant.name}` : 'on';
}

function frontendWords(answer: FrontendAnswer | undefined): string {
  if (!answer) return 'off';
  return answer.variant === undefined ? 'on' : `on, variant ${answer.variant}`;
}

interface ComparedFlag {
  readonly flag: string;
  readonly context: FieldsOfContext;
  readonly a: DocumentFlags;
  readonly b: DocumentFlags;
}

function userOf({ flag, context, a, b }: ComparedFlag): DifferingUser {
  return {
    context,
    a: wordsWithPayload(a.evaluate(flag, context)),
    b: wordsWithPayload(b.evaluate(flag, context)),
    whyA: reasonOf(a.explain(flag, context)),
    whyB: reasonOf(b.explain(flag, context)),
  };
}

function wordsWithPayload(evaluated: Evaluated | undefined): string {
  const value = evaluated?.variant?.payload?.value;
  return value === undefined ? words(evaluated) : `${words(evaluated)} (${value})`;
}
