/** Reads a large state document in a thread of its own, which has bounds in memory and time. */
import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';
import { AppError } from '../errors.ts';
import type { StateUpload } from './state-upload.ts';
import type { StateUploadOutcome, StateUploadWork } from './state-upload-messages.ts';
import type { StateSlice } from './state-upload-slices.ts';
import type { StateDocument } from './wire/state-input.ts';

/** Beside this file, from the sources as from the bundle. */
const program = new URL(`./state-upload-worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);

/** Documents of 100 MiB take half of it on a slow machine. */
const LONGEST_MS = 60_000;

/** More than a document with as many values as are allowed was ever seen to take. */
const HEAP_MIB = 128;
const HEAP_PER_BYTE = 40;
const YOUNG_HEAP_MIB = 16;

export async function readInThread(upload: StateUpload, signal: AbortSignal): Promise<StateDocument> {
  const { port1: slices, port2: slicesPort } = new MessageChannel();
  const work: StateUploadWork<MessagePort> = { upload, slicesPort };
  const maxOldGenerationSizeMb = HEAP_MIB + Math.ceil((HEAP_PER_BYTE * upload.bytes.length) / 2 ** 20);
  const worker = new Worker(program, {
    workerData: work,
    transferList: [slicesPort],
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb, maxYoungGenerationSizeMb: YOUNG_HEAP_MIB },
  });
  const late = AbortSignal.timeout(LONGEST_MS);
  try {
    const [outcome]: StateUploadOutcome[] = await once(worker, 'message', { signal: AbortSignal.any([signal, late]) });
    if (!outcome) throw new Error('the thread that reads a state document sent no outcome');
    if ('refusal' in outcome) throw new AppError(outcome.refusal.code, outcome.refusal.message, outcome.refusal);
    return await putTogether(outcome.frame, slices);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw late.aborted || isOutOfMemory(error) ? tooCostly(error) : error;
  } finally {
    slices.close();
    await worker.terminate();
  }
}

/** Others are served between two slices. */
async function putTogether(frame: Readonly<Record<string, unknown>>, slices: MessagePort): Promise<StateDocument> {
  for (let next = receiveMessageOnPort(slices); next; next = receiveMessageOnPort(slices)) {
    const { section, rows }: StateSlice = next.message;
    (frame[section] as unknown[]).push(...rows);
    await setImmediate();
  }
  return frame as StateDocument;
}

function isOutOfMemory(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY';
}

function tooCostly(cause: unknown): AppError {
  const message = 'The body takes more memory or time to read than an import may. Send it in parts.';
  return new AppError('too-large', message, { details: [{ path: '/body', message }], cause });
}
