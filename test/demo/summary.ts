/** What the demo prints when it is ready. */
import { commandsFor } from './commands.ts';
import type { DemoSettings } from './settings.ts';
import { type Demo, SAMPLES } from './start-demo.ts';

/** Returns the facts, then each command on a line of its own, ready to be pasted. */
export function summaryOf(demo: Demo, settings: DemoSettings): string {
  const facts = [
    ['Console', `${settings.url}/`],
    [
      'Admin API',
      `${settings.url}/api/admin (${settings.token ? 'asks for the token' : 'open to this machine, without a token'})`,
    ],
    ['Kubeconfig', `${demo.kubeconfig} (all rights, namespace shop)`],
    ['Operator log', demo.operatorLog],
    ['History', settings.operator['VEXIL_AUDIT_URL'] ? 'where VEXIL_AUDIT_URL says' : `${demo.archive} (SQLite)`],
  ];
  const trials = commandsFor({ ...demo, url: settings.url, samples: SAMPLES });
  return [
    '',
    'Vexil runs. Ctrl-C stops everything.',
    '',
    ...facts.map(([name = '', value]) => `  ${name.padEnd(14)}${value}`),
    '',
    'Paste these into another terminal, one after the other:',
    ...trials.map(({ title, command }) => `\n  ${title}\n    ${command}`),
    '',
    '',
  ].join('\n');
}
