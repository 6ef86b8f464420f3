/** Rounds of request sequences that are made from the API document that an operator serves. */
import fc from 'fast-check';
import { promiseOf, validators } from '../support/api-promise.ts';
import { callerOf } from './caller.ts';
import { type AnyCase, anyCase } from './cases.ts';
import { type ApiDocument, type Operation, operationsOf } from './operations.ts';
import { Finding, runSequence, type SequenceParts } from './run-sequence.ts';
import { createTally, type Tally } from './tally.ts';
import { BEGUN, type Ground, prepareWorld, SEGMENTS, SINGLE_ID } from './world.ts';

export interface FuzzParts {
  readonly ground: Ground;
  /** The URL of the operator. */
  readonly url: string;
}

export interface Round {
  readonly seed: number;
  /** The place in the round to begin at, as a finding names it. If absent, the whole round runs. */
  readonly path?: string | undefined;
  /** The ids of operations that most requests are for. If absent or empty, requests are for all operations. */
  readonly focus?: readonly string[];
}

export interface Fuzzer {
  readonly operations: readonly Operation[];
  readonly tally: Tally;
  /** Returns the finding, shrunk and with how to repeat it; undefined if there is none. */
  round(round: Round): Promise<string | undefined>;
  /** Stops after the sequence that is under way. */
  readonly interrupt: () => void;
  readonly interrupted: boolean;
  close(): void;
}

const SEQUENCES = 3;
const MAX_LENGTH = 200;

/** The limit for shrinking a finding. After it the smallest finding so far is reported. */
const ROUND_MS = 180_000;

/**
 * Operations that change what all other requests depend on, so that each would spoil the later ones, or that wait for a
 * Secret. The tables of bad input test them.
 */
const leftAlone: ReadonlySet<string> = new Set([
  ...['putEnvironmentsSortOrder', 'postEnvironmentOn', 'postEnvironmentOff', 'postEnvironmentClone'],
  ...['postProjectEnvironments', 'deleteProjectEnvironment'],
  ...['postApiTokens', 'putApiToken', 'deleteApiToken'],
  ...['postProjects', 'putProject', 'deleteProject'],
  ...['postProjectUserRole', 'putProjectUserRole', 'deleteProjectUserRole'],
]);

/** Texts that the server compares input with. */
const texts = [
  ...['default', 'flexibleRollout', 'userWithId', 'strategy#0', 'strategy#1', 'staff-first', 'all'],
  ...['plain', 'rich', 'stowed', 'till', 'shop', 'pay', 'production', 'development', 'staging', 'blue', 'red'],
  ...['userId', '1', '1.2.3', '2026-01-31', '25', '100', '12.5', '{"a":1}', 'simple:payments'],
];
const of = {
  id: ['strategy#0', 'strategy#1', 'staff-first'],
  name: [
    'default',
    'flexibleRollout',
    'userWithId',
    'country',
    'constructor',
    'new-one',
    'new-two',
    'red',
    'blue',
    'x',
  ],
  environments: ['production', 'development', 'constructor'],
  environment: ['production', 'development'],
  environmentId: ['production'],
  projects: ['shop', 'pay'],
  project: ['shop', 'pay'],
  projectId: ['shop'],
  strategyId: [SINGLE_ID],
  features: ['plain', 'rich', 'empty', 'constructor', 'stowed', 'till'],
  contextName: ['userId', 'region'],
  value: ['1', '12.5', '2026-01-31', '1.2.3', '{"a":1}'],
  stickiness: ['default', 'userId'],
  version: ['4'],
  fingerprint: ['a1', 'b2'],
  labels: ['plain', 'rich', 'till', 'production', 'off', 'pause-ramp', 'resume'],
  annotations: ['production', 'off', 'pause-ramp', 'resume'],
};
const keys = ['rollout', 'groupId', 'stickiness', 'userIds', 'IPs', 'a/b~c', 'x'];
const ofAlerts = ['vexil_flag', 'vexil_environment', 'vexil_action', 'vexil_on_resolved', 'vexil_project'];
const keysOf = { labels: ofAlerts, annotations: ofAlerts };

/** The ids in a text with commas between them. */
export function idsIn(text = ''): readonly string[] {
  return text.split(',').filter((id) => id !== '');
}

export async function createFuzzer({ ground, url }: FuzzParts): Promise<Fuzzer> {
  const caller = callerOf(url);
  const document: ApiDocument = JSON.parse(
    (await caller.send({ method: 'GET', path: '/docs/openapi.json', headers: {} })).text,
  );
  const operations = operationsOf(document).filter(({ id }) => !leftAlone.has(id));
  const world = await prepareWorld(ground, caller);
  const tally = createTally();
  const parts: SequenceParts = {
    ...{ world, caller, url, tally, promise: promiseOf(document) },
    operations: new Map(operations.map((operation) => [operation.id, operation])),
    validatorFor: validators(document.components),
  };
  const making = {
    components: document.components,
    vocabulary: { texts, of, keys, keysOf, numbersOf: { segmentIds: SEGMENTS }, times: [BEGUN] },
  };
  const any = anyCase(operations, making);
  const sequences = (focus: readonly string[]) => {
    const focused = operations.filter(({ id }) => focus.includes(id));
    const one = focused.length === 0 ? any : fc.oneof(any, { weight: 4, arbitrary: anyCase(focused, making) });
    return fc.array(one, { minLength: 1, maxLength: MAX_LENGTH, size: 'max' });
  };
  let interrupted = false;
  const run = async (cases: readonly AnyCase[]) => {
    if (interrupted) return;
    try {
      await runSequence(parts, cases);
    } catch (error) {
      // If the operator has ended, there is nothing to shrink.
      if (!(error instanceof Finding)) interrupted = true;
      throw error;
    }
  };
  return {
    operations,
    tally,
    async round({ seed, path, focus = [] }) {
      if (interrupted) return undefined;
      const found = await fc.check(fc.asyncProperty(sequences(focus), run), {
        seed,
        ...(path !== undefined && { path }),
        numRuns: SEQUENCES,
        interruptAfterTimeLimit: ROUND_MS,
      });
      if (!found.failed || found.counterexamplePath === null) return undefined;
      const error = found.errorInstance instanceof Error ? found.errorInstance.message : String(found.errorInstance);
      const focused = focus.length === 0 ? '' : ` FUZZ_FOCUS=${focus.join()}`;
      return [`FUZZ_SEED=${found.seed} FUZZ_PATH=${found.counterexamplePath}${focused}`, error].join('\n');
    },
    interrupt: () => {
      interrupted = true;
    },
    get interrupted() {
      return interrupted;
    },
    close() {
      caller.close();
      world.close();
    },
  };
}
