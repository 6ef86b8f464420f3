/** Calls etcd directly, without the API server. */
import { request } from 'node:http';
import { text } from 'node:stream/consumers';

interface Answer {
  /** Numbers of 64 bits are strings in the JSON of etcd. */
  readonly header: { readonly revision: string };
}

/** `store` is the path of the socket of etcd. */
export async function callStore(store: string, path: string, body: unknown): Promise<Answer> {
  const { status, answer } = await post(store, path, JSON.stringify(body));
  if (status !== 200) throw new Error(`etcd answered ${path} with ${status}: ${answer}`);
  return JSON.parse(answer) as Answer;
}

function post(socketPath: string, path: string, body: string): Promise<{ status: number; answer: string }> {
  return new Promise((resolve, reject) => {
    const call = request({ socketPath, path, method: 'POST' }, (response) => {
      text(response).then((answer) => resolve({ status: response.statusCode ?? 0, answer }), reject);
    });
    call.once('error', reject);
    call.end(body);
  });
}

/** Encodes a key or a value as etcd requires. */
export function base64(plain: string): string {
  return Buffer.from(plain).toString('base64');
}
