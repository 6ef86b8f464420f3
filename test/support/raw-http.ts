/** Sends bytes to an HTTP server unchanged, including requests that no client would send. */
import { once } from 'node:events';
import { connect } from 'node:net';

export interface RawAnswer {
  readonly status: number;
  /** The header lines as they arrived. */
  readonly head: string;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
  readonly body: any;
}

/** Returns what arrived until the server closed the connection. The sender adds `Connection: close`. */
export async function sendRaw(url: string, request: string | Buffer): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => {
    chunks.push(Buffer.from(chunk));
    // A stream of events ends with its connection.
    if (chunk.includes('\r\nContent-Type: text/event-stream')) socket.destroy();
  });
  socket.write(request);
  await once(socket, 'close');
  const whole = Buffer.concat(chunks).toString();
  const [head = '', ...rest] = whole.replace('HTTP/1.1 100 Continue\r\n\r\n', '').split('\r\n\r\n');
  const text = rest.join('\r\n\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]);
  return { status, head, text, body: text.startsWith('{') ? JSON.parse(text) : undefined };
}
