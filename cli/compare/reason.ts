/** Why a flag is on or off at a server, in one sentence. */
import type { Explanation } from '../../src/evaluation/why.ts';
import { dependencyWords, strategyWords } from '../../src/wire/playground/why-words.ts';

const MAX_STRATEGIES = 3;

export function reasonOf(explanation: Explanation | undefined): string {
  if (!explanation) return 'the flag is not there';
  const { decision, why } = explanation;
  switch (decision) {
    case 'off':
      return 'the flag is off';
    case 'dependency':
      return dependencyWords(why.dependencies.at(-1));
    case 'everyone':
      return 'the flag has no strategies';
    case 'strategy': {
      const applied = why.strategies.at(-1);
      return applied
        ? `strategy ${why.strategies.length} applies: ${strategyWords(applied, readsAll)}`
        : 'a strategy applies';
    }
    case 'no-strategy':
      return `no strategy applies: ${why.strategies
        .slice(0, MAX_STRATEGIES)
        .map((one) => strategyWords(one, readsAll))
        .join('; ')}`;
  }
}

function readsAll(): boolean {
  return true;
}
