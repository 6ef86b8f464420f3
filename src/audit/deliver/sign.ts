/** Signs messages as Standard Webhooks say. */
import { Webhook } from 'standardwebhooks';
import type { Message } from './receiver.ts';

/** `keys`: of a rotation, each signs. Without keys the message has an id and a time, and no signature. */
export function signed(
  { headers, body }: Message,
  id: string,
  { keys, now }: { keys: readonly string[]; now: number },
): Message {
  const at = new Date(now);
  const signatures = keys.map((key) => new Webhook(key).sign(id, at, body));
  return {
    body,
    headers: {
      ...headers,
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(now / 1000)),
      ...(signatures.length > 0 && { 'webhook-signature': signatures.join(' ') }),
    },
  };
}
