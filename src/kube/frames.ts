/** A stream of bytes as the JSON frames it carries, one a line. */
import { AppError } from '../errors.ts';

const NEWLINE = 0x0a;

/** Far above what etcd can store of one object (1.5 MiB unless raised), far below what would hurt. */
const MAX_FRAME_BYTES = 16 * 1024 * 1024;

/** Yields each line as parsed JSON; a stream that ends inside a line is an error, never half a frame. */
export async function* readFrames(
  chunks: AsyncIterable<Uint8Array>,
  maxFrameBytes: number = MAX_FRAME_BYTES,
): AsyncGenerator<unknown> {
  let begun: Uint8Array[] = [];
  for await (const chunk of chunks) {
    const { lines, rest } = split(chunk);
    const [first, ...others] = lines;
    if (first !== undefined) {
      yield* parse(Buffer.concat([...begun, first]));
      begun = [];
    }
    for (const line of others) yield* parse(line);
    if (rest.length > 0) begun.push(rest);
    if (lengthOf(begun) > maxFrameBytes)
      throw new AppError('unavailable', `A frame is over ${maxFrameBytes} bytes long`);
  }
  if (begun.length > 0) throw new AppError('unavailable', 'The stream of the API server ended inside a frame');
}

/** Splits at the byte, so that a character across two chunks is put together before it is decoded. */
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
    throw new AppError('unavailable', 'The API server sent a frame that is not JSON', { cause });
  }
}
