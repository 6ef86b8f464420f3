/** Server-sent events in bytes (HTML Living Standard §9.2). */
import { bytesOf } from '../../model/bytes.ts';

export interface ServerSentEvent {
  readonly id: string;
  /** The name of the event; absent: `message`. */
  readonly name?: string;
  /** JSON without line breaks, in pieces. */
  readonly data: readonly Buffer[];
}

const END = bytesOf('\n\n');

/** A comment, which clients ignore. */
export const KEEP_ALIVE = bytesOf(':\n\n');

/** Sends the Node SDK back to polling. */
export const BACK_TO_POLLING = bytesOf('event: fetch-mode\ndata: polling\n\n');

export function serverSentEvent({ id, name, data }: ServerSentEvent): readonly Buffer[] {
  const event = name === undefined ? '' : `event: ${name}\n`;
  return [bytesOf(`id: ${id}\n${event}data: `), ...data, END];
}
