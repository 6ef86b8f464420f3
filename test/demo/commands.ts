/** The commands that the demo suggests. */
import { join } from 'node:path';
import type { EntryPoint } from './entry-point.ts';
import { HOME } from './settings.ts';
import { quoted } from './shell.ts';

export interface Trial {
  /** What the command shows, in a few words; unique. */
  readonly title: string;
  /** The command for bash or any other POSIX shell, in any directory. */
  readonly command: string;
}

export interface Place extends EntryPoint {
  /** `http://127.0.0.1:4242` */
  readonly url: string;
  /** The folder of the sample files. */
  readonly samples: string;
}

/** The flags of the sample project. */
const flags = '/api/admin/projects/shop/features';

/** Returns the commands in an order in which each one works and makes sense after the ones before. */
export function commandsFor(place: Place): readonly Trial[] {
  const kubectl = (...args: string[]) => [place.kubectl, ...args].map(quoted).join(' ');
  const patch = (flag: string, spec: unknown) =>
    kubectl('patch', 'ff', flag, '--type', 'merge', '-p', JSON.stringify({ spec }));
  const call = caller(place);
  return [
    { title: 'The flags, with the environments where each one is on', command: kubectl('get', 'ff') },
    {
      title: 'Everything about one of them, with what is in effect',
      command: kubectl('describe', 'ff', 'one-page-checkout'),
    },
    {
      title: 'Who works with flags, in which roles, and a strategy type of the shop',
      command: kubectl('get', 'fuser,frole,fstrat', '-n', HOME),
    },
    { title: 'What a field means', command: kubectl('explain', 'ff.spec.environments.strategies') },
    {
      title: 'Switch it on in production with kubectl',
      command: patch('one-page-checkout', { environments: { production: { enabled: true } } }),
    },
    { title: 'See it through the API', command: call('GET', `${flags}/one-page-checkout`) },
    {
      title: 'Apply the same YAML again, as GitOps does: it does not name the switch, so the switch stays',
      command: kubectl('apply', '-f', join(place.samples, 'flags.yaml')),
    },
    {
      title: 'The experiment is over: say so through the API',
      command: call('PATCH', `${flags}/button-colour`, [{ op: 'replace', path: '/stale', value: true }]),
    },
    {
      title: 'Cards cannot be charged: switch card payments off through the API',
      command: call('POST', `${flags}/card-payments/environments/production/off`),
    },
    { title: 'See both with kubectl, and who changed each flag last', command: kubectl('get', 'ff', '-o', 'wide') },
    {
      title: 'Switch card payments on again',
      command: call('POST', `${flags}/card-payments/environments/production/on`),
    },
    {
      title: 'Create a flag through the API',
      command: call('POST', flags, { name: 'gift-cards', type: 'release', description: 'Pay with a gift card.' }),
    },
    {
      title: 'Refused, with the reason: there is nothing to switch on yet',
      command: call('POST', `${flags}/gift-cards/environments/production/on`),
    },
    {
      title: 'Refused, even while no operator runs: a flag stays in its project',
      command: patch('card-payments', { project: 'default' }),
    },
    {
      title: 'Refused as well: a protected environment is not deleted',
      command: kubectl('delete', 'fenv', 'production', '-n', HOME),
    },
    {
      title: 'The history, newest first, with the authors',
      command: call('GET', '/api/admin/search/events?project=IS:shop&limit=4'),
    },
    {
      title: 'The history of one flag, as lines of JSON',
      command: call('GET', '/api/admin/search/events/export?feature=IS:card-payments'),
    },
    { title: 'The same as Events of Kubernetes', command: kubectl('get', 'events', '-l', 'vexil.dev/audit=1') },
    {
      title: 'kubectl describe shows the Events with the object, too',
      command: kubectl('describe', 'ff', 'button-colour'),
    },
    {
      title: 'Refused: only Vexil writes Events of the history',
      command: kubectl('label', 'events', '-l', 'vexil.dev/audit=1', 'vexil.dev/audit-'),
    },
    { title: 'Watch while you change flags elsewhere (Ctrl-C ends it)', command: kubectl('get', 'ff', '-w') },
  ];
}

type Call = (method: 'GET' | 'PATCH' | 'POST', path: string, body?: unknown) => string;

function caller({ url, header }: Place): Call {
  const authorization = header === undefined ? [] : ['-H', header];
  return (method, path, body) => {
    const verb = method === 'GET' ? [] : ['-X', method];
    const json = body === undefined ? [] : ['-H', 'Content-Type: application/json', '-d', JSON.stringify(body)];
    // A success without a body would show nothing, and bodies do not end with a line break.
    const end = ['-sS', '-w', String.raw`\nHTTP %{http_code}\n`];
    return ['curl', ...end, ...verb, ...authorization, ...json, `${url}${path}`].map(quoted).join(' ');
  };
}
