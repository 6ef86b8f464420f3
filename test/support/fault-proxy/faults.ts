/** Faults of calls, whatever the calls are about. */

import type { IncomingMessage } from 'node:http';
import { pause } from '../../../src/model/clock.ts';
import { systemClock } from '../../../src/runtime/clock.ts';
import { type Exchange, headersOf } from './exchange.ts';

export interface Fault {
  /** The name of the fault in reports. */
  readonly name: string;
  readonly play: (exchange: Exchange) => Promise<void>;
}

/** The call goes through as it is. */
export const nothing: Fault = { name: 'nothing', play: (exchange) => pass(exchange) };

/** The port is closed. Only the operator's own count of failures shows connections that are tried meanwhile. */
export const refused: Pick<Fault, 'name'> = { name: 'port closed' };

/** The connection breaks before the API server has received the call. */
export const reset: Fault = {
  name: 'connection reset',
  async play({ fired, cut }) {
    fired();
    cut();
  },
};

/** The API server does what was requested, but its answer is lost. */
export const lostAnswer: Fault = {
  name: 'answer lost',
  async play({ ask, fired, cut }) {
    for await (const _ of await ask());
    fired();
    cut();
  },
};

/** No answer comes, and the connection stays open. */
export const stall: Fault = {
  name: 'stall',
  async play({ fired, released, cut }) {
    fired();
    await released;
    cut();
  },
};

/** The call waits until the test releases it to the API server. */
export const hold: Fault = {
  name: 'held back',
  async play(exchange) {
    exchange.fired();
    await exchange.released;
    await pass(exchange);
  },
};

/** The API server has done what was requested. Its answer waits until the test releases it. */
export const holdAnswer: Fault = {
  name: 'answer held back',
  async play(exchange) {
    const answer = await exchange.ask();
    exchange.fired();
    await exchange.released;
    await passOn(exchange, answer);
  },
};

/** The call arrives late. */
export function delay(ms: number): Fault {
  return {
    name: `delay of ${ms} ms`,
    async play(exchange) {
      exchange.fired();
      await pause(systemClock, ms);
      await pass(exchange);
    },
  };
}

/** The answer comes byte by byte. */
export const byteByByte: Fault = {
  name: 'byte by byte',
  async play(exchange) {
    const answer = await exchange.ask();
    exchange.begin(answer.statusCode ?? 0, headersOf(answer));
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      exchange.fired();
      for (const byte of chunk) await exchange.send(Uint8Array.of(byte));
    }
    exchange.end();
  },
};

/** A server in between answers with a page for people. */
export const wrongContent: Fault = {
  name: 'a page instead of an answer',
  async play({ begin, send, end, fired }) {
    begin(200, { 'content-type': 'text/html' });
    fired();
    await send('<html><body>Please log in.</body></html>\n');
    end();
  },
};

export interface RefusalOptions {
  readonly reason?: string;
  readonly retryAfterSeconds?: number;
}

/** The API server does not receive the call. The answer is a Status with this code. */
export function refusal(code: number, { reason, retryAfterSeconds }: RefusalOptions = {}): Fault {
  return {
    name: `status ${code}`,
    async play({ begin, send, end, fired }) {
      const retryAfter = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
      begin(code, { 'content-type': 'application/json', ...retryAfter });
      fired();
      await send(JSON.stringify(statusOf(code, reason)));
      end();
    },
  };
}

/** Lists come in pages of this size. */
export function pagesOf(limit: number): Fault {
  return {
    name: `pages of ${limit}`,
    async play(exchange) {
      exchange.fired();
      await passOn(exchange, await exchange.ask({ limit: String(limit) }));
    },
  };
}

/** The body that the API server sends when it refuses. */
export function statusOf(code: number, reason?: string): object {
  const message = `the fault proxy says ${code}`;
  return {
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    message,
    code,
    ...(reason !== undefined && { reason }),
  };
}

async function pass(exchange: Exchange): Promise<void> {
  await passOn(exchange, await exchange.ask());
}

async function passOn({ begin, send, end }: Exchange, answer: IncomingMessage): Promise<void> {
  begin(answer.statusCode ?? 0, headersOf(answer));
  for await (const chunk of answer as AsyncIterable<Buffer>) await send(chunk);
  end();
}
