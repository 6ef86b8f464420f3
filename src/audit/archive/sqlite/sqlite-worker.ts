/** The thread of a SQLite connection. */
import { parentPort, workerData } from 'node:worker_threads';
import { createSqliteConnection } from './sqlite-connection.ts';
import { EVERY_CALL, type SqliteCall, type SqliteStart } from './sqlite-messages.ts';

const { cancelled, ...settings } = workerData as SqliteStart;
const cancelledCall = new Int32Array(cancelled);

const answer = createSqliteConnection(settings, (id) => {
  const wanted = Atomics.load(cancelledCall, 0);
  return wanted === id || wanted === EVERY_CALL;
});

parentPort?.on('message', (call: SqliteCall) => {
  parentPort?.postMessage(answer(call));
  if (call.action === 'close') parentPort?.close();
});
