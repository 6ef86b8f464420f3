/** Differences that the rules of this program do not show, because SDKs read the same document in several ways. */
import type { DocumentFlags } from '../../src/evaluation/contexts/document-flags.ts';

export interface SdkDoubt {
  readonly environment: string;
  readonly flag: string;
  readonly message: string;
}

export function sdkDoubts(environment: string, a: DocumentFlags, b: DocumentFlags): readonly SdkDoubt[] {
  return a.names.flatMap((flag) => {
    const [ofA, ofB] = [rolloutsOf(a, flag), rolloutsOf(b, flag)];
    const hasGroup = (rollouts: readonly Rollout[]) =>
      rollouts.every(({ groupId }) => groupId !== undefined && groupId !== '');
    const messages = [
      ...(hasGroup(ofA) === hasGroup(ofB) ? [] : [GROUP]),
      ...(ofA.some(isDecimal) === ofB.some(isDecimal) ? [] : [DECIMAL]),
    ];
    return messages.map((message) => ({ environment, flag, message }));
  });
}

const GROUP =
  'one server has no groupId, which the SDK for Node.js reads as an empty one and others as the name of the flag: with it, other users are in the share';
const DECIMAL = 'one server has a decimal percentage, for which the SDK for Python is off for everyone';

interface Rollout {
  readonly groupId: string | undefined;
  readonly rollout: string | undefined;
}

function rolloutsOf(flags: DocumentFlags, name: string): readonly Rollout[] {
  const strategies = flags.feature(name)?.strategies ?? [];
  return strategies
    .filter(
      ({ name: type, parameters }) =>
        type === 'flexibleRollout' && parameters['stickiness'] !== 'random' && parameters['rollout'] !== '100',
    )
    .map(({ parameters }) => ({ groupId: parameters['groupId'], rollout: parameters['rollout'] }));
}

function isDecimal({ rollout = '' }: Rollout): boolean {
  return rollout.includes('.');
}
