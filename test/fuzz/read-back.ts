/** Checks whether reads show an acknowledged write. */
import { isDeepStrictEqual } from 'node:util';
import type { Answer, Caller } from './caller.ts';
import { isOfAdminApi } from './operations.ts';
import type { Resolved } from './resolve.ts';

type Found = Readonly<Record<string, unknown>>;

/** Compares the texts of the body with the same texts of the answer, and returns the differences. */
export function complaintsOfEcho({ request, operation }: Resolved, answer: Answer): string[] {
  if (!['POST', 'PUT'].includes(operation.method) || answer.status > 299 || answer.text === '') return [];
  const [asked, written] = [JSON.parse(request.text ?? 'null'), JSON.parse(answer.text)] as [Found, Found];
  return Object.entries(asked)
    .filter(([key, value]) => typeof value === 'string' && key !== 'id' && operation.takes.includes(key))
    .filter(([key]) => Object.hasOwn(written, key))
    .filter(([key, value]) => written[key] !== value)
    .map(([key]) => `is acknowledged with another ${key}`);
}

/**
 * Returns the complaints; none if reads show the write. A dry run shows nothing, and is compared with the stored
 * objects.
 */
export async function complaintsOfReading(caller: Caller, sent: Resolved, answer: Answer): Promise<string[]> {
  if (sent.dryRun || !mayWrite(sent) || answer.status < 200 || answer.status > 299) return [];
  const { place, shows } = expectationOf(sent, answer);
  const { status, text } = await caller.send({ method: 'GET', path: place, headers: {} });
  const found = text === '' ? undefined : JSON.parse(text);
  return shows(status, found)
    ? []
    : [`is acknowledged, and then GET ${place} answers ${status} ${text.slice(0, 1000)}`];
}

/**
 * The playground only reads. The answer to alerts does not show their changes, and one alert may undo another. The
 * answer to an import is what it has to say about it. Forgetting a person changes entries, which no path names.
 */
function mayWrite({ request, operation }: Resolved): boolean {
  return (
    isOfAdminApi(operation) &&
    request.method !== 'GET' &&
    !/\/(playground|alerts|features-batch|history)/.test(operation.template)
  );
}

interface Expectation {
  readonly place: string;
  readonly shows: (status: number, found: Found) => boolean;
}

function expectationOf(sent: Resolved, answer: Answer): Expectation {
  const { operation, path } = sent;
  if (answer.text !== '') return shownAgain(sent, JSON.parse(answer.text) as Found);
  if (operation.template.includes('/bulk_features/')) return switchedTogether(sent);
  const there = stillThere(sent);
  if (there !== undefined) return { place: there, shows: (status) => status === 200 };
  const last = operation.template.split('/').at(-1);
  const above = path.slice(0, path.lastIndexOf('/'));
  if (last === 'on' || last === 'off') {
    return { place: above, shows: isSwitched(last) };
  }
  if (last === 'deprecate' || last === 'reactivate') {
    const isDeprecated = last === 'deprecate';
    return { place: above, shows: (status, { deprecated }) => status === 200 && deprecated === isDeprecated };
  }
  if (last === 'set-sort-order') return ordered(above, JSON.parse(sent.request.text ?? '[]'));
  if (operation.template.includes('/archive/')) return outOfArchive(path);
  return { place: path, shows: (status) => status === 404 };
}

/**
 * The path that must still exist after the request: the list of a check, which writes nothing; the parent of a window
 * or a ramp; a changed segment.
 */
function stillThere({ operation: { method, template }, path }: Resolved): string | undefined {
  if (/\/(validate|window|ramp)$/.test(template)) return path.slice(0, path.lastIndexOf('/'));
  const isChanged = method === 'PUT' && template.endsWith('/{segmentId}');
  return isChanged ? path : undefined;
}

/** If the document has a GET for the path, each member that both answers have must be equal. */
function shownAgain({ operation, path, request }: Resolved, written: Found): Expectation {
  const agrees = (status: number, found: Found) =>
    status === 200 &&
    Object.keys(written).every((key) => !(key in found) || isDeepStrictEqual(found[key], written[key]));
  if (path.endsWith('/variants-batch')) {
    const { environments } = JSON.parse(request.text ?? '') as { environments: string[] };
    const place = path.replace(
      '/variants-batch',
      `/environments/${encodeURIComponent(environments[0] ?? '')}/variants`,
    );
    return { place, shows: agrees };
  }
  const above = path.slice(0, path.lastIndexOf('/'));
  if (/\/(settings|copy)$/.test(path)) return { place: above, shows: agrees };
  // The flag may be archived now, and no path has a single comment.
  if (/\/(comments|state|restore)$/.test(path)) return { place: projectIn(path), shows: (status) => status === 200 };
  if (operation.method !== 'POST' || path.endsWith('/ownership')) return { place: path, shows: agrees };
  if (path.endsWith('/tags')) return { place: path, shows: (status, { tags }) => status === 200 && has(tags, written) };
  const list = path.endsWith('/clone') ? path.split('/').slice(0, -2).join('/') : path;
  const one = written['id'] ?? written['strategyId'] ?? written['name'];
  return { place: `${list}/${encodeURIComponent(String(one))}`, shows: agrees };
}

const projectIn = (path: string) => path.split('/').slice(0, 5).join('/');

function has(list: unknown, item: Found): boolean {
  return Array.isArray(list) && list.some((one) => isDeepStrictEqual(one, item));
}

/** The first flag stands for all flags of the request. */
function switchedTogether({ path, request }: Resolved): Expectation {
  const { features } = JSON.parse(request.text ?? '') as { features: string[] };
  const parts = path.split('/');
  const [last, environment] = [parts.pop(), parts.pop()];
  const list = `${parts.slice(0, -2).join('/')}/features`;
  const [name] = features;
  if (name === undefined) return { place: list, shows: (status) => status === 200 };
  return {
    place: `${list}/${encodeURIComponent(name)}/environments/${environment}`,
    shows: isSwitched(last),
  };
}

/** A flag that is switched on is off outside its window. */
function isSwitched(position: string | undefined): Expectation['shows'] {
  return (status, { enabled, ...found }) =>
    status === 200 && (enabled === (position === 'on') || 'activeFrom' in found || 'activeUntil' in found);
}

function ordered(list: string, wanted: readonly { id: string; sortOrder: number }[]): Expectation {
  const shows = (status: number, found: Found) => {
    const orders = new Map((found as unknown as typeof wanted).map(({ id, sortOrder }) => [id, sortOrder]));
    return status === 200 && wanted.every(({ id, sortOrder }) => (orders.get(id) ?? sortOrder) === sortOrder);
  };
  return { place: list, shows };
}

function outOfArchive(path: string): Expectation {
  const name = decodeURIComponent(path.slice(path.lastIndexOf('/') + 1));
  const shows = (_: number, found: Found) => !(found['features'] as Found[]).some((flag) => flag['name'] === name);
  return { place: '/api/admin/archive/features', shows };
}
