/** Calls etcd itself, past the API server. */

interface Answer {
  /** Numbers of 64 bits are strings in the JSON of etcd. */
  readonly header: { readonly revision: string };
}

export async function callStore(store: string, path: string, body: unknown): Promise<Answer> {
  const answer = await fetch(`${store}${path}`, { method: 'POST', body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`etcd answered ${path} with ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as Answer;
}

/** As etcd takes keys and values. */
export function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
