/** Round after round of request sequences that are made from the API document an operator serves. */
import fc from 'fast-check';
import { promiseOf, validators } from '../support/api-promise.ts';
import { callerOf } from './caller.ts';
import { type AnyCase, anyCase } from './cases.ts';
import { type ApiDocument, type Operation, operationsOf } from './operations.ts';
import { Finding, runSequence, type SequenceParts } from './run-sequence.ts';
import { createTally, type Tally } from './tally.ts';
import { type Ground, prepareWorld } from './world.ts';

export interface FuzzParts {
  readonly ground: Ground;
  /** Of the operator. */
  readonly url: string;
}

export interface Round {
  readonly seed: number;
  /** Where in the round to begin, as a finding names it; absent: all of it. */
  readonly path?: string | undefined;
}

export interface Fuzzer {
  readonly operations: readonly Operation[];
  readonly tally: Tally;
  /** Answers what was found, shrunk and with how to repeat it; undefined: nothing. */
  round(round: Round): Promise<string | undefined>;
  /** Nothing is sent any more but the sequence that is under way. */
  readonly interrupt: () => void;
  readonly interrupted: boolean;
  close(): void;
}

const SEQUENCES = 10;
const MAX_LENGTH = 200;

/** Shrinking a finding ends then with the smallest so far. */
const ROUND_MS = 180_000;

/**
 * They change what every other request stands on, and each would spoil those after it; or they wait for a Secret. The
 * tables of bad input have them.
 */
const leftAlone: ReadonlySet<string> = new Set([
  ...['putEnvironmentsSortOrder', 'postEnvironmentOn', 'postEnvironmentOff', 'postEnvironmentClone'],
  ...['postProjectEnvironments', 'deleteProjectEnvironment'],
  ...['postApiTokens', 'putApiToken', 'deleteApiToken'],
  ...['postProjects', 'putProject', 'deleteProject'],
  ...['postProjectUserRole', 'putProjectUserRole', 'deleteProjectUserRole'],
]);

/** What the server compares texts with. */
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
  environment: ['production', 'development'],
  environments: ['production', 'development', 'constructor'],
  projects: ['shop', 'pay'],
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
  const one = anyCase(operations, { components: document.components, vocabulary: { texts, of, keys, keysOf } });
  const sequence = fc.array(one, { minLength: 1, maxLength: MAX_LENGTH, size: 'max' });
  let interrupted = false;
  const property = fc.asyncProperty(sequence, async (cases: readonly AnyCase[]) => {
    if (interrupted) return;
    try {
      await runSequence(parts, cases);
    } catch (error) {
      // Of an operator that is gone there is nothing to shrink.
      if (!(error instanceof Finding)) interrupted = true;
      throw error;
    }
  });
  return {
    operations,
    tally,
    async round({ seed, path }) {
      if (interrupted) return undefined;
      const found = await fc.check(property, {
        seed,
        ...(path !== undefined && { path }),
        numRuns: SEQUENCES,
        interruptAfterTimeLimit: ROUND_MS,
      });
      if (!found.failed || found.counterexamplePath === null) return undefined;
      const error = found.errorInstance instanceof Error ? found.errorInstance.message : String(found.errorInstance);
      return [`FUZZ_SEED=${found.seed} FUZZ_PATH=${found.counterexamplePath}`, error].join('\n');
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
