/** Increases the versions of a cluster, as other activity in it does. */
import { base64, callStore } from './store-call.ts';

/** Writes a key that no API server reads that many times. */
export async function advance(store: string, writes: number): Promise<void> {
  for (let count = 0; count < writes; count += 1) {
    await callStore(store, '/v3/kv/put', { key: base64('/vexil-tests/advance'), value: base64(`${count}`) });
  }
}
