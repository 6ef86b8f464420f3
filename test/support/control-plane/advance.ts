/** Lets the versions of a cluster grow, as much else that happens there does. */
import { base64, callStore } from './store-call.ts';

/** So many writes of a key that no API server reads. */
export async function advance(store: string, writes: number): Promise<void> {
  for (let count = 0; count < writes; count += 1) {
    await callStore(store, '/v3/kv/put', { key: base64('/vexil-tests/advance'), value: base64(`${count}`) });
  }
}
