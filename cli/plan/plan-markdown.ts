/** A plan as Markdown for a pull request. */
import { codeSpan } from '../report/markdown.ts';
import { objectOf, obstaclesOf } from './obstacles.ts';
import { type Plan, sumOf } from './plan-text.ts';

/** People read pull requests, and code hosts accept 65,536 characters. */
const MAX_ROWS = 200;
const MAX_OBSTACLES = 50;
/** The number of fields shown for one object. */
const MAX_FIELDS = 5;
/** Line ends and marks of tables and tags. */
const MARKS = /[\s|<>]+/g;

export function planMarkdown(plan: Plan): string {
  const changed = plan.plans.filter(({ action }) => action !== 'none');
  const rows = changed.slice(0, MAX_ROWS).map((one) => {
    const { action, changes } = one;
    const fields = changes.slice(0, MAX_FIELDS).map(({ path }) => codeSpan(path.replaceAll(/[`|\s]+/g, ' ')));
    const more = changes.length > fields.length ? [`and ${changes.length - fields.length} more`] : [];
    return `| ${action} | ${codeSpan(objectOf(one))} | ${[...fields, ...more].join(', ')} |`;
  });
  const obstacles = changed.flatMap((one) =>
    obstaclesOf(one).map(({ message }) => `- ${codeSpan(objectOf(one))}: ${plainText(message)}`),
  );
  const left = obstacles.length - MAX_OBSTACLES;
  return [
    '## Plan for feature flags',
    '',
    ...(rows.length === 0 ? [] : ['| Action | Object | Fields |', '|---|---|---|', ...rows, '']),
    ...(changed.length > MAX_ROWS ? [`… and ${changed.length - MAX_ROWS} more.`, ''] : []),
    ...(obstacles.length === 0 ? [] : [...obstacles.slice(0, MAX_OBSTACLES), '']),
    ...(left > 0 ? [`… and ${left} more.`, ''] : []),
    sumOf(plan),
    '',
  ].join('\n');
}

/** Escapes reasons and messages, which other people write. */
function plainText(text: string): string {
  return text.replaceAll(MARKS, ' ').replace(/[\\`*_[\]]/g, '\\$&');
}
