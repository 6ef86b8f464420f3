/** Reads a byte stream as JSON frames, one per line. */
import { ClusterError } from '../../errors.ts';

const NEWLINE = 0x0a;

/** Far above etcd's limit for one object (1.5 MiB by default), far below a size that endangers the process. */
const MAX_FRAME_BYTES = 16 * 1024 * 1024;

/** Yields each line as parsed JSON. Throws if the stream ends inside a line. */
export async function* readFrames(
  chunks: AsyncIterable<Uint8Array>,
  maxFrameBytes: number = MAX_FRAME_BYTES,
): AsyncGenerator<unknown> {
  let partial: Uint8Array[] = [];
  for await (const chunk of chunks) {
    const { lines, rest } = split(chunk);
    const [first, ...others] = lines;
    if (first !== undefined) {
      yield* parse(Buffer.concat([...partial, first]));
      partial = [];
    }
    for (const line of others) yield* parse(line);
    if (rest.length > 0) partial.push(rest);
    if (lengthOf(partial) > maxFrameBytes)
      throw new ClusterError('unavailable', `A frame is over ${maxFrameBytes} bytes long`);
  }
  if (partial.length > 0) throw new ClusterError('unavailable', 'The stream of the API server ended inside a frame');
}

/** Splits bytes, not characters: a character may span two chunks and is decoded only when complete. */
function split(chunk: Uint8Array): { lines: Uint8Array[]; rest: Uint8Array } {
  const lines: Uint8Array[] = [];
  let start = 0;
  for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
    lines.push(chunk.subarray(start, end));
    start = end + 1;
  }
  return { lines, rest: chunk.subarray(start) };
}

function lengthOf(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, part) => sum + part.length, 0);
}

function* parse(line: Uint8Array): Generator<unknown> {
  if (line.length === 0) return;
  try {
    yield JSON.parse(Buffer.from(line.buffer, line.byteOffset, line.length).toString('utf8'));
  } catch (cause) {
    throw new ClusterError('unavailable', 'The API server sent a frame that is not JSON', { cause });
  }
}
