/** Reads a large state document in a thread of its own, which has bounds in memory and time. */
import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';
import { AppError } from '../errors.ts';
import type { StateUpload } from './state-upload.ts';
import type { StateUploadOutcome, StateUploadWork } from './state-upload-messages.ts';
import type { StateDocument } from './wire/state-input.ts';
import { addRows } from './wire/state-sections.ts';

/** Beside this file, from the sources as from the bundle. */
const program = new URL(`./state-upload-worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);

/** Documents of 100 MiB take half of it on a slow machine. */
const LONGEST_MS = 60_000;

/** Of the program itself, and of each value: twice what was seen of documents with as many values as are read. */
const HEAP_MIB = 64;
const HEAP_BYTES_PER_VALUE = 640;
const YOUNG_HEAP_MIB = 16;

export async function readInThread(upload: StateUpload, signal: AbortSignal): Promise<StateDocument> {
  const { port1: parts, port2: partsPort } = new MessageChannel();
  const work: StateUploadWork<MessagePort> = { upload, partsPort };
  const maxOldGenerationSizeMb = HEAP_MIB + Math.ceil((HEAP_BYTES_PER_VALUE * upload.mostValues) / 2 ** 20);
  const worker = new Worker(program, {
    workerData: work,
    transferList: [partsPort],
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb, maxYoungGenerationSizeMb: YOUNG_HEAP_MIB },
  });
  const late = AbortSignal.timeout(LONGEST_MS);
  try {
    const [outcome]: StateUploadOutcome[] = await once(worker, 'message', { signal: AbortSignal.any([signal, late]) });
    if (!outcome) throw new Error('the thread that reads a state document sent no outcome');
    if ('refusal' in outcome) throw new AppError(outcome.refusal.code, outcome.refusal.message, outcome.refusal);
    return await receive(outcome.frame, parts);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw late.aborted || isOutOfMemory(error) ? tooCostly(error) : error;
  } finally {
    parts.close();
    await worker.terminate();
  }
}

/** Others are served between two parts. */
async function receive(frame: StateDocument, parts: MessagePort): Promise<StateDocument> {
  for (let next = receiveMessageOnPort(parts); next; next = receiveMessageOnPort(parts)) {
    addRows(frame, next.message);
    await setImmediate();
  }
  return frame;
}

function isOutOfMemory(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY';
}

function tooCostly(cause: unknown): AppError {
  const message = 'The body takes more memory or time to read than an import may. Send it in parts.';
  return new AppError('too-large', message, { details: [{ path: '/body', message }], cause });
}
