/** The commands that the demo suggests; docs/tutorial.md has more. */

export interface Trial {
  /** What the command shows, in a few words; unique. */
  readonly title: string;
  /** The command for bash or any other POSIX shell, in any directory, after the exports of the demo. */
  readonly command: string;
}

const ON = '{"spec":{"environments":{"production":{"enabled":true}}}}';

/** Returns the commands in an order in which each one works and makes sense after the ones before. */
export function commandsFor({ needsToken }: { readonly needsToken: boolean }): readonly Trial[] {
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
