/** JSON around a list whose items are bytes already. */
const COMMA = 0x2c;

export function joined(head: string, items: readonly Buffer[], tail: string): Buffer {
  const [opening, closing] = [Buffer.from(head), Buffer.from(tail)];
  const ofItems = items.reduce((sum, { length }) => sum + length, Math.max(items.length - 1, 0));
  const bytes = Buffer.allocUnsafe(opening.length + ofItems + closing.length);
  let at = opening.copy(bytes);
  items.forEach((item, index) => {
    if (index > 0) at = bytes.writeUInt8(COMMA, at);
    at += item.copy(bytes, at);
  });
  closing.copy(bytes, at);
  return bytes;
}
