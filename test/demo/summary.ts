/** What the demo prints when it is ready. */
import type { DemoSettings } from './settings.ts';
import type { Demo } from './start-demo.ts';

interface Trial {
  /** What the command shows, in a few words; unique. */
  readonly title: string;
  /** The command for bash or any other POSIX shell, in any directory, after the exports of the demo. */
  readonly command: string;
}

const ON = '{"spec":{"environments":{"production":{"enabled":true}}}}';

/** Returns the commands in an order in which each one works and makes sense after the ones before. */
function commandsFor({ needsToken }: { readonly needsToken: boolean }): readonly Trial[] {
  const curl = needsToken ? 'curl -sS -H "Authorization: $TOKEN"' : 'curl -sS';
  return [
    { title: 'The flags, with the environments where each one is on', command: 'kubectl get ff' },
    {
      title: 'Switch one on in production: the application in the first terminal sees it',
      command: `kubectl patch ff one-page-checkout --type merge -p '${ON}'`,
    },
    {
      title: 'Refused, because Git owns this switch: the answer says what to do',
      command: `${curl} -X POST $API/projects/shop/features/gift-wrapping/environments/production/off`,
    },
    {
      title: 'Why does a customer have a flag?',
      command: 'vexil explain one-page-checkout --env production --context userId=ada@example.com',
    },
    { title: 'Who changed what, the oldest first', command: 'vexil history one-page-checkout' },
  ];
}

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
