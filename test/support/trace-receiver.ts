/** A receiver of traces that speaks OTLP over HTTP with JSON, as collectors do. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Absent: the span is the first one of its trace. */
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes: Readonly<Record<string, string | number>>;
  /** The ids of the spans that it has links to. */
  readonly links: readonly string[];
  /** 2: an error. */
  readonly status: number;
}

export interface TraceReceiver {
  readonly url: string;
  readonly spans: readonly ReceivedSpan[];
  /** The attributes of the program that sends. */
  readonly resources: readonly ReceivedSpan['attributes'][];
  readonly headers: readonly IncomingHttpHeaders[];
  close(): Promise<void>;
}

interface Attribute {
  readonly key: string;
  /** JSON of OTLP has integers as texts or numbers. */
  readonly value: { readonly stringValue?: string; readonly intValue?: number | string };
}

interface SentSpan extends Omit<ReceivedSpan, 'attributes' | 'links' | 'status'> {
  readonly attributes?: readonly Attribute[];
  readonly links?: readonly { readonly spanId: string }[];
  readonly status?: { readonly code?: number };
}

interface Sent {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[];
  }[];
}

export async function startTraceReceiver(): Promise<TraceReceiver> {
  const spans: ReceivedSpan[] = [];
  const resources: ReceivedSpan['attributes'][] = [];
  const headers: IncomingHttpHeaders[] = [];
  const server = createServer(async (request, response) => {
    const { resourceSpans } = (await json(request)) as Sent;
    headers.push(request.headers);
    for (const { resource, scopeSpans } of resourceSpans) {
      resources.push(valuesOf(resource.attributes));
      spans.push(...scopeSpans.flatMap((scope) => scope.spans.map(receivedOf)));
    }
    response.setHeader('Content-Type', 'application/json').end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    resources,
    headers,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function receivedOf({ attributes, links = [], status, ...span }: SentSpan): ReceivedSpan {
  return {
    ...span,
    attributes: valuesOf(attributes),
    links: links.map(({ spanId }) => spanId),
    status: status?.code ?? 0,
  };
}

/** JSON of OTLP leaves out what is empty. */
function valuesOf(attributes: readonly Attribute[] = []): ReceivedSpan['attributes'] {
  return Object.fromEntries(
    attributes.flatMap(({ key, value: { stringValue, intValue } }) => {
      const value = stringValue ?? (intValue === undefined ? undefined : Number(intValue));
      return value === undefined ? [] : [[key, value]];
    }),
  );
}
