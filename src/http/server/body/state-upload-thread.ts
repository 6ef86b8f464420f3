/** Parses a large state document in a thread with bounds on memory and time. */
import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { getHeapStatistics } from 'node:v8';
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';
import { Refusal } from '../../../errors.ts';
import type { StateDocument } from '../../../wire/admin/state/state-input.ts';
import { addRows } from '../../../wire/admin/state/state-sections.ts';
import { bodyTooLarge } from './count-values.ts';
import { MIB } from './memory-left.ts';
import type { StateUpload, StateUploadOutcome, StateUploadWork } from './state-upload.ts';

/** The worker's file is next to this one, both in the sources and in the bundle. */
const program = new URL(`./state-upload-worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);

/** A document of 100 MiB takes half of this time on a slow machine. */
const MAX_DURATION_MS = 60_000;

/** The heap of the program, and per value: twice the measured size for documents with the most values. */
const HEAP_MIB = 64;
const HEAP_BYTES_PER_VALUE = 640;
const YOUNG_HEAP_MIB = 16;
/** The least heap in which a small document can be read. */
const MIN_HEAP_MIB = 32;
/** What a thread takes outside of its heap, with the amount by which V8 may exceed the limit. */
const OUTSIDE_MIB = 48;

interface ThreadOptions {
  /** The memory that the process may still take; beyond it, the kernel kills the operator. */
  readonly bytesLeft: number;
  readonly signal: AbortSignal;
}

/** The bytes are moved to the thread: afterwards the caller's buffer is empty. */
export async function readInThread(upload: StateUpload, { bytesLeft, signal }: ThreadOptions): Promise<StateDocument> {
  const heapMib = Math.min(heapMibFor(upload.maxValues), heapMibWithin(bytesLeft - upload.bytes.length));
  const { port1: parts, port2: partsPort } = new MessageChannel();
  const bytes = withOwnMemory(upload.bytes);
  const work: StateUploadWork<MessagePort> = { upload: { ...upload, bytes }, partsPort };
  const worker = new Worker(program, {
    workerData: work,
    transferList: [partsPort, bytes.buffer],
    execArgv: [],
    resourceLimits: {
      maxOldGenerationSizeMb: heapMib,
      maxYoungGenerationSizeMb: YOUNG_HEAP_MIB,
    },
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

function withOwnMemory(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer } = bytes;
  const isAlone = buffer instanceof ArrayBuffer && buffer.byteLength === bytes.byteLength;
  return isAlone ? new Uint8Array(buffer) : new Uint8Array(bytes);
}

/** At most as large as the heap of this program, for which Node.js takes half of the memory of a small container. */
function heapMibFor(maxValues: number): number {
  const wanted = HEAP_MIB + Math.ceil((HEAP_BYTES_PER_VALUE * maxValues) / MIB);
  return Math.min(wanted, Math.floor(getHeapStatistics().heap_size_limit / MIB));
}

/** The parts of the document wait outside of the heap, and take about as much as its bytes. */
function heapMibWithin(bytesLeft: number): number {
  return Math.max(MIN_HEAP_MIB, Math.floor(bytesLeft / MIB) - YOUNG_HEAP_MIB - OUTSIDE_MIB);
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
  return bodyTooLarge(
    'The body takes more memory or time to parse than an import is allowed. Send it in parts.',
    cause,
  );
}
