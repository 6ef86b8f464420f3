/** The deadline for the writes of one request. */
import type { IncomingMessage } from 'node:http';
import type { RequestDeadline } from '../../access/authorization/authorized-writes.ts';
import { Refusal } from '../../errors.ts';
import type { CallerWrites } from '../../runtime/caller-writes.ts';
import type { Arrivals } from './socket/arrivals.ts';

/**
 * The time from the complete arrival of the request, or from its last acknowledged write, to the next write; also that
 * of each write.
 */
export const BEGIN_WITHIN_MS = 10_000;
/** The time to the first write of an upload. */
export const BEGIN_UPLOAD_WITHIN_MS = 60_000;

/**
 * A read has no deadline: the clock that includes suspends asks the operating system, which takes longer than many
 * reads.
 */
const ONLY_READS: RequestDeadline = {
  begin: () => Promise.reject(new Error('A GET or HEAD request began a write.')),
  allowForUpload: () => undefined,
};

export function startDeadline(
  request: IncomingMessage,
  { now, earliest }: Arrivals,
  writes: CallerWrites,
): RequestDeadline {
  if (isRead(request)) return ONLY_READS;
  let countsFrom = earliest();
  let withinMs = BEGIN_WITHIN_MS;
  request.once('end', () => {
    countsFrom = earliest();
  });
  const beforeSend = async () => {
    await readSockets();
    if (hasGone(request)) throw new Refusal('unavailable', 'The caller has disconnected. Nothing more is written.');
    if (now() - countsFrom > withinMs) throw tooLate(withinMs);
  };
  return {
    async begin(write) {
      let sentAt = countsFrom;
      const noteSending = async () => {
        await beforeSend();
        sentAt = now();
      };
      const answer = await writes.during(() => write(Object.assign(noteSending, { timeoutMs: BEGIN_WITHIN_MS })));
      // Not the time of the acknowledgement, which may have arrived during a pause of the process.
      countsFrom = Math.max(countsFrom, sentAt);
      withinMs = BEGIN_WITHIN_MS;
      return answer;
    },
    allowForUpload() {
      withinMs = BEGIN_UPLOAD_WITHIN_MS;
    },
  };
}

/**
 * After a pause, the kernel may hold the end of a connection that the process has not read yet. The present turn of the
 * event loop may have read sockets before this call; the next one reads all of them.
 */
async function readSockets(): Promise<void> {
  for (let turns = 0; turns < 2; turns += 1) await new Promise<void>((resume) => setImmediate(resume));
}

function hasGone({ socket }: IncomingMessage): boolean {
  return socket.destroyed || !socket.readable;
}

function tooLate(withinMs: number): Refusal {
  const message = `The request could not be completed within ${withinMs / 1000} seconds. Nothing more is written. Send it again.`;
  return new Refusal('unavailable', message, { retryAfterSeconds: 1 });
}

export function isRead({ method }: { readonly method?: string | undefined }): boolean {
  return method === 'GET' || method === 'HEAD';
}
