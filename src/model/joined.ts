/** JSON around a list whose items are bytes already. */
const COMMA = Buffer.from(',');

export function joined(head: string, items: readonly Buffer[], tail: string): Buffer {
  const parts = items.flatMap((item, index) => (index === 0 ? [item] : [COMMA, item]));
  return Buffer.concat([Buffer.from(head), ...parts, Buffer.from(tail)]);
}
