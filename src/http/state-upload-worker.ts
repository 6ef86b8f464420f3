/** The program of the thread that reads one large state document. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { isAppError } from '../errors.ts';
import { readStateUpload } from './state-upload.ts';
import type { StateUploadOutcome, StateUploadWork } from './state-upload-messages.ts';

const { upload, partsPort }: StateUploadWork<MessagePort> = workerData;

async function read(): Promise<StateUploadOutcome> {
  try {
    const { frame, parts } = await readStateUpload(upload);
    for (const part of parts) partsPort.postMessage(part);
    return { frame };
  } catch (error) {
    if (!isAppError(error)) throw error;
    const { code, message, details } = error;
    return { refusal: { code, message, details } };
  }
}

parentPort?.postMessage(await read());
// The reader of the parts ends this thread.
partsPort.ref();
