/** Compresses answers off the event loop, once for each version and encoding. */
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Coding, Representation } from './representation.ts';

/** An answer that changes. */
export interface ChangingAnswer {
  /** Returns the same object until it changes. */
  current(): Representation;
}

export interface Encoded {
  readonly of: Representation;
  readonly bytes: Buffer;
}

const compressors = {
  br: (bytes: Buffer) =>
    promisify(brotliCompress)(bytes, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
    }),
  gzip: (bytes: Buffer) => promisify(gzip)(bytes),
} as const satisfies Record<Coding, unknown>;

/** Smaller answers do not benefit from compression. */
const MIN_BYTES = 1024;

/** The encoding that the caller prefers; undefined: the bytes as they are. */
export function encodingFor(accepted: string | undefined, { bytes }: Representation): Coding | undefined {
  if (accepted === undefined || bytes.length < MIN_BYTES) return undefined;
  const weights = new Map(accepted.split(',').map(weightOf));
  const weigh = (encoding: Coding) => weights.get(encoding) ?? weights.get('*') ?? 0;
  const best = weigh('br') >= weigh('gzip') ? 'br' : 'gzip';
  return weigh(best) > 0 ? best : undefined;
}

function weightOf(part: string): [string, number] {
  const [name = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
  const weight = parameters.find((text) => text.startsWith('q='))?.slice('q='.length);
  return [name, weight === undefined ? 1 : Number(weight) || 0];
}

const shared = new WeakSet<Representation>();

/** Marks an answer that is sent many times, so that it is compressed once. It must contain no secret. */
export function share(answer: Representation): Representation {
  shared.add(answer);
  return answer;
}

export function isShared(answer: Representation): boolean {
  return shared.has(answer);
}

interface Compression {
  done?: Encoded;
  underWay?: Promise<Encoded> | undefined;
}

export type Encode = (answer: ChangingAnswer, encoding: Coding) => Promise<Encoded>;

/**
 * The result is at least as new as the call. One version of an answer is compressed at a time: versions that are
 * replaced meanwhile are skipped.
 */
export function createEncoder(): Encode {
  const works = new WeakMap<ChangingAnswer, Partial<Record<Coding, Compression>>>();
  return async (answer, encoding) => {
    const ofAnswer = works.get(answer) ?? {};
    works.set(answer, ofAnswer);
    ofAnswer[encoding] ??= {};
    const work = ofAnswer[encoding];
    if (work.done?.of === answer.current()) return work.done;
    // The running work may have begun before this call, with an older version.
    if (work.underWay) await work.underWay;
    if (work.done?.of === answer.current()) return work.done;
    work.underWay ??= compressNext(answer, encoding, work);
    return work.underWay;
  };
}

async function compressNext(answer: ChangingAnswer, encoding: Coding, work: Compression): Promise<Encoded> {
  const of = answer.current();
  try {
    work.done = { of, bytes: await compressors[encoding](of.bytes) };
    return work.done;
  } finally {
    work.underWay = undefined;
  }
}
