/** The verdict on the definition of a strategy type: its status. */
import type { Ref } from '../schema/object.ts';
import type { StrategyDefinition, StrategyDefinitionStatus } from '../schema/strategy-definition.ts';
import { defectFindings, judged, nameConflict } from './findings.ts';
import { wireNameOf } from './names.ts';
import type { Verdict } from './verdict.ts';

export interface DefinitionInContext {
  readonly definition: StrategyDefinition;
  /** The older definition that holds the wire name, if there is one. */
  readonly rival: Ref | undefined;
}

/** `now` in ms since 1970. */
export function judgeStrategyDefinition(
  { definition, rival }: DefinitionInContext,
  now: number,
): Verdict<StrategyDefinitionStatus> {
  const conflict = rival ? [nameConflict('strategy type', wireNameOf(definition), rival)] : [];
  const findings = [...defectFindings(definition.defects), ...conflict];
  return { status: judged({ object: definition, findings, now }) };
}
