/** The program of the thread that parses a large state document. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { isRefusal } from '../../../errors.ts';
import { readStateUpload, type StateUploadOutcome, type StateUploadWork } from './state-upload.ts';

const { upload, partsPort }: StateUploadWork<MessagePort> = workerData;

async function read(): Promise<StateUploadOutcome> {
  try {
    return { frame: await readStateUpload(upload, (part) => partsPort.postMessage(part)) };
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const { code, message, details } = error;
    return { refusal: { code, message, details } };
  }
}

parentPort?.postMessage(await read());
// Keeps the thread alive until the reader of the parts terminates it.
partsPort.ref();
