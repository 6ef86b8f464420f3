/** What the demo prints when it is ready. */
import { commandsFor } from './commands.ts';
import type { DemoSettings } from './settings.ts';
import type { Demo } from './start-demo.ts';

/** Returns the facts, then each command on a line of its own, ready to be pasted. */
export function summaryOf(demo: Demo, settings: DemoSettings): string {
  const { token, url, operator } = settings;
  const facts = [
    ['Console', `${url}/`],
    ['Admin API', `${url}/api/admin (${token ? 'asks for the token' : 'open to this machine, without a token'})`],
    ['Kubeconfig', `${demo.kubeconfig} (all rights, namespace shop)`],
    ['Operator log', demo.operatorLog],
    ['History', operator['VEXIL_AUDIT_URL'] ? 'where VEXIL_AUDIT_URL says' : `${demo.archive} (SQLite)`],
    ['Application', 'asks for the flags of 100 customers in production, and prints here what changes for them'],
  ];
  const trials = commandsFor({ needsToken: token !== undefined });
  return [
    '',
    'Vexil runs. Ctrl-C stops everything.',
    '',
    ...facts.map(([name = '', value]) => `  ${name.padEnd(14)}${value}`),
    '',
    'Open the console, or paste these into another terminal, one after the other:',
    '',
    `  ${demo.exports}`,
    ...trials.map(({ title, command }) => `\n  # ${title}\n  ${command}`),
    '',
    'More: docs/tutorial.md',
    '',
    '',
  ].join('\n');
}
