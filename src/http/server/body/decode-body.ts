/** Decodes the bytes of a body. */
import { unreadable } from '../../../wire/check-values.ts';

export const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

const decoder = new TextDecoder('utf-8', { fatal: true });

/** The text without a byte order mark. */
export function decodeBody(bytes: Uint8Array): string {
  try {
    const text = decoder.decode(bytes);
    if (text !== '') return text;
  } catch {
    throw unreadable('The body is not valid UTF-8.');
  }
  throw unreadable('The body is required. It was not present on the data you sent.');
}
