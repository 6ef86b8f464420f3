/** The writes of an operator, by its own metric of requests to the API server. */

const SERIES = /^vexil_kube_request_duration_seconds_count\{(.*)\} (\d+)$/gm;
/** Writes that the operator makes all the time by itself, and requests that store nothing. */
const BESIDE = /(\/status|leases|events|configmaps|secrets|reviews)$/;

/**
 * Returns the number of writes of each kind of object, such as `PATCH featureflags`. Writes that the API server refused
 * are left out.
 */
export async function writesOf(opsUrl: string): Promise<ReadonlyMap<string, number>> {
  const page = await (await fetch(`${opsUrl}/metrics`)).text();
  const writes = new Map<string, number>();
  for (const [, labels = '', count] of page.matchAll(SERIES)) {
    const { method = '', resource = '', status = '' } = labelsOf(labels);
    if (method === 'GET' || !status.startsWith('2') || BESIDE.test(resource)) continue;
    const write = `${method} ${resource}`;
    writes.set(write, (writes.get(write) ?? 0) + Number(count));
  }
  return writes;
}

function labelsOf(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries([...text.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]));
}
