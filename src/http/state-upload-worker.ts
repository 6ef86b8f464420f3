/** The program of the thread that reads one large state document. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { isAppError } from '../errors.ts';
import { readStateUpload } from './state-upload.ts';
import type { StateUploadOutcome, StateUploadWork } from './state-upload-messages.ts';
import { takeApart } from './state-upload-slices.ts';

const { upload, slicesPort }: StateUploadWork<MessagePort> = workerData;

async function read(): Promise<StateUploadOutcome> {
  try {
    const { frame, slices } = takeApart(await readStateUpload(upload));
    for (const slice of slices) slicesPort.postMessage(slice);
    return { frame };
  } catch (error) {
    if (!isAppError(error)) throw error;
    const { code, message, details } = error;
    return { refusal: { code, message, details } };
  }
}

parentPort?.postMessage(await read());
// The reader of the slices ends this thread.
slicesPort.ref();
