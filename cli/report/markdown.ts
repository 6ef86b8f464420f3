/** Describes the effect of a change on flags, as Markdown for a pull request. */
import type { StateChange } from '../lint/compare-states.ts';
import { effectWords } from './change-words.ts';
import { count, type LintReport } from './report.ts';

/** The most important effect comes first. */
const ORDER: readonly StateChange['effect'][] = [
  ...([
    'switched on',
    'switched off',
    'removed',
    'created',
    'changed while on',
    'changed',
    'changed while off',
  ] as const),
];
/** People read pull requests, and code hosts accept 65,536 characters. */
const MAX_ROWS = 200;

export function markdownSummary({ findings, checked, changes = [] }: LintReport): string {
  const sorted = [...changes].sort((a, b) => ORDER.indexOf(a.effect) - ORDER.indexOf(b.effect));
  const rows = sorted.slice(0, MAX_ROWS).map((change) => `| ${cellsOf(change)} | ${effectWords(change, codeSpan)} |`);
  const more = sorted.length > MAX_ROWS ? [`\n… and ${sorted.length - MAX_ROWS} more.`] : [];
  const table = ['| Project | Flag | Environment | Effect |', '|---|---|---|---|', ...rows, ...more];
  return [
    '## Feature flags',
    '',
    ...(changes.length === 0 ? ['No flag changes.'] : table),
    '',
    `${checked} objects checked: ${count(findings, 'error')} errors, ${count(findings, 'warning')} warnings.`,
    '',
  ].join('\n');
}

function cellsOf(change: StateChange): string {
  if ('segment' in change) return ` | segment ${codeSpan(change.segment)} | `;
  const { project, flag, environment = '' } = change;
  return [project, flag, environment].map(codeSpan).join(' | ');
}

/** Names cannot have backticks or bars. */
export function codeSpan(text: string): string {
  return text === '' ? '' : `\`${text}\``;
}
