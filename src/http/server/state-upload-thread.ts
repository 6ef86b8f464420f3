/** Parses a large state document in a thread with bounds on memory and time. */
import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';
import { Refusal } from '../../errors.ts';
import type { StateDocument } from '../../wire/admin/state-input.ts';
import { addRows } from '../../wire/admin/state-sections.ts';
import type { StateUpload } from './state-upload.ts';
import type { StateUploadOutcome, StateUploadWork } from './state-upload-messages.ts';

/** The worker is beside this file, in the sources and in the bundle. */
const program = new URL(`./state-upload-worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);

/** A document of 100 MiB takes half of it on a slow machine. */
const MAX_DURATION_MS = 60_000;

/** The heap of the program, and per value: twice the measured size for documents with the most values. */
const HEAP_MIB = 64;
const HEAP_BYTES_PER_VALUE = 640;
const YOUNG_HEAP_MIB = 16;

export async function readInThread(upload: StateUpload, signal: AbortSignal): Promise<StateDocument> {
  const { port1: parts, port2: partsPort } = new MessageChannel();
  const work: StateUploadWork<MessagePort> = { upload, partsPort };
  const maxOldGenerationSizeMb = HEAP_MIB + Math.ceil((HEAP_BYTES_PER_VALUE * upload.maxValues) / 2 ** 20);
  const worker = new Worker(program, {
    workerData: work,
    transferList: [partsPort],
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb, maxYoungGenerationSizeMb: YOUNG_HEAP_MIB },
  });
  const late = AbortSignal.timeout(MAX_DURATION_MS);
  try {
    const [outcome]: StateUploadOutcome[] = await once(worker, 'message', { signal: AbortSignal.any([signal, late]) });
    if (!outcome) throw new Error('the thread that reads a state document sent no outcome');
    if ('refusal' in outcome) throw new Refusal(outcome.refusal.code, outcome.refusal.message, outcome.refusal);
    return await receive(outcome.frame, parts);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw late.aborted || isOutOfMemory(error) ? tooCostly(error) : error;
  } finally {
    parts.close();
    await worker.terminate();
  }
}

/** Yields to the event loop between two parts. */
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

function tooCostly(cause: unknown): Refusal {
  const message = 'The body takes more memory or time to parse than an import is allowed. Send it in parts.';
  return new Refusal('too-large', message, { details: [{ part: 'body', keys: [], message }], cause });
}
