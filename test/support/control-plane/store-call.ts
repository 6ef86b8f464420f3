/** Calls etcd directly, without the API server. */
import { request } from 'node:http';
import { text } from 'node:stream/consumers';

/** The key in etcd under which API servers share up to which revision one of them has compacted. */
const COMPACTED_KEY = 'compact_rev_key';

/**
 * Compacts the store to its current revision, as an API server does every few minutes.
 * Its watch cache follows within 15 seconds; an API server that starts afterwards knows nothing older.
 */
export async function compact(store: string): Promise<void> {
  const key = base64(COMPACTED_KEY);
  const { header } = await callStore(store, '/v3/kv/range', { key });
  await callStore(store, '/v3/kv/put', { key, value: base64(header.revision) });
  await callStore(store, '/v3/kv/compaction', { revision: header.revision, physical: true });
}

/** Writes a key that no API server reads that many times. */
export async function advance(store: string, writes: number): Promise<void> {
  for (let count = 0; count < writes; count += 1) {
    await callStore(store, '/v3/kv/put', { key: base64('/vexil-tests/advance'), value: base64(`${count}`) });
  }
}

interface Answer {
  /** Numbers of 64 bits are strings in the JSON of etcd. */
  readonly header: { readonly revision: string };
}

/** `store` is the path of the socket of etcd. */
async function callStore(store: string, path: string, body: unknown): Promise<Answer> {
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
function base64(plain: string): string {
  return Buffer.from(plain).toString('base64');
}
