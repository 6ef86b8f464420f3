/** A log that a test can read. */
import { Writable } from 'node:stream';

/** Collects log lines, an object each. */
export function captureLog(log: Readonly<Record<string, unknown>>[]): Writable {
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      for (const line of chunk.toString().split('\n').filter(Boolean)) log.push(JSON.parse(line));
      done();
    },
  });
}
