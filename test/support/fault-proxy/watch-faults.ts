/** Faults of a running watch. */
import { type Exchange, headersOf } from './exchange.ts';
import { type Fault, statusOf } from './faults.ts';

type Report = (frames: AsyncIterable<string>, exchange: Exchange) => Promise<void>;

function onFrames(name: string, report: Report): Fault {
  return {
    name,
    async play(exchange) {
      const answer = await exchange.ask();
      exchange.begin(answer.statusCode ?? 0, headersOf(answer));
      await report(linesOf(answer), exchange);
      exchange.end();
    },
  };
}

/** The connection breaks inside the first event, after that many of its bytes. */
export function cutMidFrame(bytes: number): Fault {
  return onFrames(`cut after ${bytes} bytes of a frame`, async (frames, { send, cut, fired }) => {
    for await (const frame of frames) {
      if (isEvent(frame)) {
        await send(frame.slice(0, bytes));
        fired();
        cut();
        return;
      }
      await send(frame);
    }
  });
}

/** The connection breaks after the first event. */
export const cutAfterEvent: Fault = onFrames('cut after an event', async (frames, { send, cut, fired }) => {
  for await (const frame of frames) {
    await send(frame);
    if (!isEvent(frame)) continue;
    fired();
    cut();
    return;
  }
});

/** The watch ends in order after the first event. */
export const endAfterEvent: Fault = onFrames('ended after an event', async (frames, { send, fired }) => {
  for await (const frame of frames) {
    await send(frame);
    if (!isEvent(frame)) continue;
    fired();
    return;
  }
});

/** The API server continues, but nothing arrives any more. The connections stay open. */
export const halfOpen: Fault = onFrames('half-open', async (frames, { send, fired }) => {
  let isOpen = true;
  for await (const frame of frames) {
    if (isOpen && isEvent(frame)) {
      isOpen = false;
      fired();
    }
    if (isOpen) await send(frame);
  }
});

/** Every event is sent twice. */
export const twice: Fault = onFrames('events sent twice', async (frames, { send, fired }) => {
  for await (const frame of frames) {
    await send(frame);
    if (!isEvent(frame)) continue;
    await send(frame);
    fired();
  }
});

/**
 * After each event, the first event of its object is sent again: a cache that accepts it ends with the wrong object.
 */
export const oldAgain: Fault = onFrames('old events sent again', async (frames, { send, fired }) => {
  const first = new Map<string, string>();
  for await (const frame of frames) {
    await send(frame);
    if (!isEvent(frame)) continue;
    const uid = uidOf(frame);
    const old = first.get(uid);
    if (old === undefined) first.set(uid, frame);
    else {
      await send(old);
      fired();
    }
  }
});

/** A watch that opens in order says in its first frame that it failed. */
export function errorFrame(code: number, reason?: string): Fault {
  return {
    name: `ERROR frame ${code}`,
    async play({ begin, send, end, fired }) {
      begin(200, { 'content-type': 'application/json' });
      fired();
      await send(`${JSON.stringify({ type: 'ERROR', object: statusOf(code, reason) })}\n`);
      end();
    },
  };
}

/** Bookmarks are not events about an object. */
function isEvent(frame: string): boolean {
  return !frame.startsWith('{"type":"BOOKMARK"');
}

function uidOf(frame: string): string {
  return (JSON.parse(frame) as { object: { metadata: { uid: string } } }).object.metadata.uid;
}

/** Yields each line with the newline that ends it. */
async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let begun = Buffer.alloc(0);
  for await (const chunk of chunks) {
    begun = Buffer.concat([begun, chunk]);
    for (let end = begun.indexOf('\n'); end !== -1; end = begun.indexOf('\n')) {
      yield begun.toString('utf8', 0, end + 1);
      begun = begun.subarray(end + 1);
    }
  }
}
