/** A constant address that leads to one operator after the other, as a Service does. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { pipeline } from 'node:stream';

export async function startService(url: string) {
  let target = url;
  const server = createServer((from) => {
    const to = connect({ host: '127.0.0.1', port: Number(new URL(target).port) });
    pipeline(from, to, from, () => undefined);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    leadTo(other: string) {
      target = other;
    },
    stop: () => void server.close(),
  };
}
