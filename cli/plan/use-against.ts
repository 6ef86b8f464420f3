/** Whether SDKs ask for a flag that a planned change deletes or archives. */
import { isRecord } from '../../src/model/json.ts';
import type { UsageReason } from '../../src/schema/condition.ts';
import type { FlagWrite } from './flag-write.ts';

const IN_USE: readonly unknown[] = ['InUse', 'ArchivedInUse'] satisfies readonly UsageReason[];

/**
 * Returns the message of the condition Usage; undefined if no application is known to ask for the flag, or the flag
 * stays.
 */
export function useAgainst({ before, after }: FlagWrite): string | undefined {
  const goes = after === undefined || (isArchived(after) && !isArchived(before));
  const conditions = member(member(before, 'status'), 'conditions');
  if (!goes || !Array.isArray(conditions)) return undefined;
  const usage: unknown = conditions.find((one) => isRecord(one) && one['type'] === 'Usage');
  return IN_USE.includes(member(usage, 'reason')) ? String(member(usage, 'message')) : undefined;
}

function isArchived(object: unknown): boolean {
  return member(member(object, 'spec'), 'archived') === true;
}

function member(value: unknown, key: string): unknown {
  return isRecord(value) ? value[key] : undefined;
}
