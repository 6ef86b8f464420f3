/** Merges the loss of a strategy and what follows from it, so that each loss has one entry. */
import { isRecord } from '../../src/model/json.ts';
import { pathText } from '../manifests/field-path.ts';
import type { Unmapped } from './unmapped.ts';

const SWITCH = '.enabled';

/** A flag that lost its last strategy in an environment is written off there, which the entry of the strategy says. */
export function withoutConsequences(unmapped: readonly Unmapped[]): readonly Unmapped[] {
  const causes = new Map(
    unmapped.flatMap((one) => {
      const cause = one.path.endsWith(SWITCH) ? causeOf(one, unmapped) : undefined;
      return cause ? [[one, cause] as const] : [];
    }),
  );
  const explained = new Set(causes.values());
  return unmapped
    .filter((one) => !causes.has(one))
    .map((one) => (explained.has(one) ? { ...one, advice: `${one.advice} The flag is written switched off.` } : one));
}

function causeOf({ path }: Unmapped, unmapped: readonly Unmapped[]): Unmapped | undefined {
  const strategies = `${path.slice(0, -SWITCH.length)}.strategies`;
  return unmapped.findLast((one) => one.path.startsWith(strategies) || switchOf(one.value) === path);
}

/** Returns the path of the switch to which a strategy of an export belongs. */
function switchOf(value: unknown): string | undefined {
  if (!isRecord(value) || typeof value['environment'] !== 'string') return undefined;
  return `flags/${String(value['featureName'])}: ${pathText(['spec', 'environments', value['environment'], 'enabled'])}`;
}
