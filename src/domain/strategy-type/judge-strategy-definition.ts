/** The verdict on a strategy definition: its status. */
import type { Ref } from '../../model/object.ts';
import type { StrategyDefinition, StrategyDefinitionStatus } from '../../schema/strategy-definition.ts';
import { wireNameOf } from '../identity/names.ts';
import { defectFindings, type Finding, judged, nameConflict } from '../judgement/findings.ts';
import type { Verdict } from '../judgement/verdict.ts';
import { isBuiltIn } from './strategy-types.ts';

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
  const conflict = nameConflict('strategy type', definition, conflictingOwner);
  const findings = [...defectFindings(definition.defects), ...conflict, ...builtInName(definition)];
  return { status: judged({ object: definition, findings, now }) };
}

/** The API server rejects the names of most built-in types; others are built in since a later version. */
function builtInName(definition: StrategyDefinition): readonly Finding[] {
  const name = wireNameOf(definition);
  if (!isBuiltIn(name)) return [];
  const message = `the strategy type "${name}" is built in, and strategies of that name have its parameters: delete this object`;
  return [{ severity: 'Warning', path: ['name'], reason: 'BuiltInName', message }];
}
