/** An explanation of a flag as text for a terminal. */
import type { ProtectableOwner } from '../../src/model/field-owner.ts';
import { printableLines } from '../terminal.ts';
import type { ExplainedField, Explanation } from './explanation.ts';
import { table } from './table.ts';

export function explanationText(explanation: Explanation): string {
  const { problems, environments } = explanation;
  const rows = environments.map(({ name, asked, inEffect, strategies, nextChangeAt = '-', switchOwners }) => [
    ...[name, onOff(asked), onOff(inEffect), String(strategies), nextChangeAt],
    switchOwners.map(ownerText).join(', ') || '-',
  ]);
  const header = ['ENVIRONMENT', 'ASKED', 'IN EFFECT', 'STRATEGIES', 'NEXT CHANGE', 'SWITCH OWNED BY'];
  return [
    headOf(explanation),
    rows.length === 0 ? 'No environments: the flag is off everywhere.\n' : table([header, ...rows]),
    windowText(environments),
    rampText(environments),
    printableLines(
      problems.map(({ severity, path, reason, message }) => `${severity}: ${path}: ${message} (${reason})`),
    ),
    evaluationText(explanation),
  ]
    .filter((part) => part !== '')
    .join('\n');
}

function windowText(environments: Explanation['environments']): string {
  const rows = environments.flatMap(({ name, window, activeFrom = '-', activeUntil = '-' }) =>
    window === undefined ? [] : [[name, window, activeFrom, activeUntil]],
  );
  return rows.length === 0 ? '' : table([['ENVIRONMENT', 'WINDOW', 'FROM', 'UNTIL'], ...rows]);
}

function rampText(environments: Explanation['environments']): string {
  const rows = environments.flatMap(({ name, ramps = {} }) =>
    Object.entries(ramps).map(([key, { state, rollout, nextChangeAt = '-' }]) => {
      return [name, key, state, `${rollout} %`, nextChangeAt];
    }),
  );
  return rows.length === 0 ? '' : table([['ENVIRONMENT', 'STRATEGY', 'RAMP', 'ROLLOUT', 'NEXT STEP'], ...rows]);
}

function headOf(explanation: Explanation): string {
  const { name, project, object, at, archived, judged, changedBy, changedBecause, lastSeenAt, source } = explanation;
  const because = changedBecause === undefined ? '' : `: ${changedBecause}`;
  const lines = [
    `${project}/${name} is FeatureFlag ${object}${archived ? ', archived: off everywhere' : ''}`,
    ...(at === undefined ? [] : [`as of ${at}, by the present spec`]),
    ...(changedBy === undefined ? [] : [`last changed by ${changedBy}${because}`]),
    ...(lastSeenAt === undefined ? [] : [`last seen by an SDK ${lastSeenAt}`]),
    ...(source ? [sourceText(source)] : []),
    ...(judged ? [] : ['the operator has not judged the present spec yet: what is in effect may change']),
  ];
  return printableLines(lines);
}

function sourceText({ kind, name, revision, repository }: NonNullable<Explanation['source']>): string {
  const from = repository === undefined ? '' : ` from ${repository}`;
  return `applied by ${kind} ${name}${from}${revision === undefined ? '' : ` at ${revision}`}`;
}

export function evaluationText({ evaluation }: Pick<Explanation, 'evaluation'>): string {
  if (!evaluation) return '';
  const { environment, enabled, variant, context, why } = evaluation;
  const asked = Object.entries(context).filter(([key]) => key !== 'environment');
  const words = asked.map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  const shown = variant.enabled ? `, variant ${variant.name}` : '';
  const fields = why.fields ?? [];
  const hasCommits = fields.some(({ commit }) => commit !== null);
  const header = ['DECIDING FIELD', 'OWNED BY', 'LAST CHANGE', ...(hasCommits ? ['COMMIT'] : [])];
  const rows = fields.map(fieldCells);
  return [
    printableLines([
      `In ${environment} for ${words.join(', ') || 'an empty context'}: ${onOff(enabled)}${shown}`,
      why.text,
    ]),
    ...(rows.length === 0 ? [] : [table([header, ...rows])]),
  ].join('\n');
}

function fieldCells({ kind, name, path, owner, lastChange, commit }: ExplainedField): readonly string[] {
  const place = kind === 'FeatureFlag' ? path : `${kind} ${name} ${path}`;
  const change = lastChange ? `${lastChange.at} by ${lastChange.by}` : '-';
  return [place, owner ? `${owner.manager} (${owner.kind})` : '-', change, commit ?? '-'];
}

function ownerText({ manager, isProtected }: ProtectableOwner): string {
  return isProtected ? `${manager} (protected)` : manager;
}

function onOff(isOn: boolean): string {
  return isOn ? 'on' : 'off';
}
