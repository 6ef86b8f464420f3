/** The writes of an operator, by its own reports of requests to the API server. */
import type { EndedCall } from '../../src/telemetry/tracing.ts';

/** The number of writes of each kind of object, such as `PATCH featureflags`. */
export type Writes = ReadonlyMap<string, number>;

const SERIES = /^vexil_kube_request_duration_seconds_count\{(.*)\} (\d+)$/gm;
/** Writes that the operator makes all the time by itself, and requests that store nothing. */
const BESIDE = /(\/status|leases|events|configmaps|secrets|reviews)$/;

/** Reads the writes in the metrics of an operator in another process. */
export async function writesOf(opsUrl: string): Promise<Writes> {
  const page = await (await fetch(`${opsUrl}/metrics`)).text();
  const writes = new Map<string, number>();
  for (const [, labels = '', count] of page.matchAll(SERIES)) {
    const { method = '', resource = '', status = '' } = labelsOf(labels);
    add(writes, { method, resource, status: Number(status) }, Number(count));
  }
  return writes;
}

/** Counts the writes of an operator in this process, without the five milliseconds that its metrics take. */
export function countWrites(): { readonly called: (call: EndedCall) => void; readonly now: () => Writes } {
  const writes = new Map<string, number>();
  return { called: (call) => add(writes, call, 1), now: () => new Map(writes) };
}

/** Writes that the API server refused are left out. */
function add(
  writes: Map<string, number>,
  { method, resource, status }: Omit<EndedCall, 'durationMs'>,
  count: number,
): void {
  if (method === 'GET' || status < 200 || status > 299 || BESIDE.test(resource)) return;
  const write = `${method} ${resource}`;
  writes.set(write, (writes.get(write) ?? 0) + count);
}

function labelsOf(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries([...text.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]));
}
