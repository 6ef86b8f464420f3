/** All tables of specs, by kind: what the API server, the schemas of the program and the command line must agree on. */
import type { KindName } from '../../../src/schema/kinds.ts';
import { approvalsRows, changeApprovalRows, changeRequestRows } from './approval-rows.ts';
import { flagRows } from './flag-rows.ts';
import { freezeRows } from './freeze-rows.ts';
import { permissionRows, roleRows, strategyDefinitionRows, userRows } from './people-rows.ts';
import { environmentRows, namingRows, projectRows } from './project-rows.ts';
import { segmentRows } from './segment-rows.ts';
import { sinkRows } from './sink-rows.ts';
import type { SpecRow } from './spec-row.ts';
import { laterRows, patternRows, strategyRows } from './strategy-rows.ts';
import { tokenRows } from './token-rows.ts';

interface RuleRows {
  readonly always: readonly SpecRow[];
  /** Specs for rules that only the API server applies: an object that was stored before the rule is still read. */
  readonly whenWritten: readonly SpecRow[];
}

const ruleRows: Readonly<Record<KindName, RuleRows>> = {
  flags: { always: [...flagRows, ...strategyRows], whenWritten: [...laterRows, ...patternRows] },
  projects: { always: projectRows, whenWritten: namingRows },
  environments: { always: [...environmentRows, ...freezeRows, ...approvalsRows], whenWritten: [] },
  users: { always: userRows, whenWritten: [] },
  roles: { always: roleRows, whenWritten: permissionRows },
  tokens: { always: tokenRows, whenWritten: [] },
  strategyTypes: { always: strategyDefinitionRows, whenWritten: [] },
  segments: { always: segmentRows, whenWritten: [] },
  changeRequests: { always: changeRequestRows, whenWritten: [] },
  changeApprovals: { always: changeApprovalRows, whenWritten: [] },
  sinks: { always: sinkRows, whenWritten: [] },
};

export const rowsByKind = Object.entries(ruleRows) as readonly (readonly [KindName, RuleRows])[];

/** The title of the test of a row, with the expected result. */
export function titled<R extends { readonly title: string; readonly refused?: unknown }>(row: R) {
  return [row.refused ? 'refuses' : 'takes', row.title, row] as const;
}
