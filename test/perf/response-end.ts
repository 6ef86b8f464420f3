/** Finds the ends of HTTP answers, reading no more of them than necessary. */

const NO_BYTES: Buffer = Buffer.alloc(0);

/**
 * Returns a function that takes the bytes of one answer after the other, and returns true when an answer is complete.
 * It refuses statuses other than 200 and 304, and answers without a length: what is compared must be equal.
 */
export function responseEnds(): (bytes: Buffer) => boolean {
  let head = NO_BYTES;
  let missing = 0;
  return (bytes) => {
    if (missing > 0) {
      missing -= bytes.length;
    } else {
      head = head.length > 0 ? Buffer.concat([head, bytes]) : bytes;
      const end = head.indexOf('\r\n\r\n');
      if (end === -1) {
        // The buffer is reused for the next read.
        head = Buffer.from(head);
        return false;
      }
      missing = lengthOf(head.toString('latin1', 0, end + 2)) - (head.length - end - 4);
      head = NO_BYTES;
    }
    if (missing < 0) throw new Error('the server sent more than it announced');
    return missing === 0;
  };
}

function lengthOf(head: string): number {
  if (head.startsWith('HTTP/1.1 304 ')) return 0;
  const length = /\r\ncontent-length: (\d+)\r\n/i.exec(head)?.[1];
  if (!head.startsWith('HTTP/1.1 200 ') || length === undefined) throw new Error(`unexpected answer:\n${head}`);
  return Number(length);
}
