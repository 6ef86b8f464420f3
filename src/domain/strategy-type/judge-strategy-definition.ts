/** The verdict on a strategy definition: its status. */
import type { Ref } from '../../model/object.ts';
import type { StrategyDefinition, StrategyDefinitionStatus } from '../../schema/strategy-definition.ts';
import { wireNameOf } from '../identity/names.ts';
import { defectFindings, judged, nameConflict } from '../judgement/findings.ts';
import type { Verdict } from '../judgement/verdict.ts';

export interface DefinitionInContext {
  readonly definition: StrategyDefinition;
  /** The older definition that owns the wire name, if there is one. */
  readonly conflictingOwner: Ref | undefined;
}

/** `now` in ms since 1970. */
export function judgeStrategyDefinition(
  { definition, conflictingOwner }: DefinitionInContext,
  now: number,
): Verdict<StrategyDefinitionStatus> {
  const conflict = conflictingOwner ? [nameConflict('strategy type', wireNameOf(definition), conflictingOwner)] : [];
  const findings = [...defectFindings(definition.defects), ...conflict];
  return { status: judged({ object: definition, findings, now }) };
}
