/** Which value wins when Git and users want different ones: every tool, every field, every answer of the admin API. */
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadKubeConfig } from '../../src/kube/api/kubeconfig.ts';
import { connect, type Transport } from '../../src/kube/api/transport.ts';
import { aFlag, type Manifest } from '../support/builders.ts';
import { ownersOf } from '../support/gitops/field-owners.ts';
import { type Field, fields, saidByGit } from '../support/gitops/fields.ts';
import { type Outcome, type Writer, writersOn } from '../support/gitops/writers.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { expectSection } from '../support/page-section.ts';
import type { Stored } from '../support/stored.ts';

const PAGE = new URL('../../docs/gitops.md', import.meta.url);

let instance: Instance;
let transport: Transport;
let writers: readonly Writer[];

beforeAll(async () => {
  instance = await startInstance('gitops');
  transport = connect(loadKubeConfig(instance.cluster.kubeconfig));
  writers = writersOn(transport);
});
afterAll(async () => {
  transport.close();
  await instance.stop();
});

const names = writersOn({} as Transport).map(({ name }) => name);
const writerNamed = (name: string) => writers.find((one) => one.name === name) as Writer;
const slug = (...words: readonly string[]) =>
  words
    .join('-')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-');

const stored = ({ metadata }: Manifest): Promise<Stored> => instance.flag(`${instance.home}/${metadata.name}`);

/** Applies a flag from Git with this writer, and waits until the API shows it. */
async function brought(writer: Writer, name: string): Promise<Manifest> {
  const manifest = aFlag(`${instance.home}/${name}`, structuredClone(saidByGit));
  expect(await writer.apply(manifest)).toBe('written');
  await instance.served(`GET /projects/shop/features/${name}`);
  return manifest;
}

/** Returns the status of the answer. `query` is the query of the admin API. */
async function change(manifest: Manifest, { request, body }: Field, query = ''): Promise<number> {
  const { name, namespace } = manifest.metadata;
  if (request === undefined) {
    const path = `/apis/vexil.dev/v1beta1/namespaces/${namespace}/featureflags/${name}`;
    const contentType = 'application/json-patch+json';
    await transport.request({ method: 'PATCH', path, query: { fieldManager: 'kubectl-patch' }, contentType, body });
    return 200;
  }
  const answer = await instance.call(`${request.replace(':flag', name)}${query}`, { body });
  if (answer.status === 409) expect(answer.body.name).toBe('FieldManagedError');
  return answer.status;
}

/** The outcome of a change that a user made. */
interface AuditEvent {
  readonly writer: string;
  readonly field: string;
  readonly isRefused: boolean;
  /** The effect of the next apply after the change, which was forced if it was refused. */
  readonly next: 'sets it back' | 'leaves it' | 'fails';
}

interface Change {
  readonly field: Field;
  readonly isRefused: boolean;
  readonly before: unknown;
  readonly changed: unknown;
}

/** Makes the change as a user, by force if it is refused. */
async function changed(manifest: Manifest, field: Field): Promise<Change> {
  const before = await stored(manifest);
  const isRefused = (await change(manifest, field)) === 409;
  if (isRefused) {
    expect(await stored(manifest)).toEqual(before);
    expect(await change(manifest, field, '?force=true')).toBeLessThan(300);
  }
  const [was, is] = [before, await stored(manifest)].map(({ spec }) => field.read(spec));
  expect(is).not.toEqual(was);
  return { field, isRefused, before: was, changed: is };
}

/** Changes each of the fields, and applies the manifest again. */
async function contest(writer: Writer, manifest: Manifest, some: readonly Field[]): Promise<readonly AuditEvent[]> {
  const changes: Change[] = [];
  for (const field of some) changes.push(await changed(manifest, field));
  const outcome = await writer.apply(manifest);
  const { spec } = await stored(manifest);
  return changes.map(({ field, isRefused, ...values }) => {
    const now = field.read(spec);
    expect([values.changed, values.before]).toContainEqual(now);
    const next = nextOf(outcome, isDeepStrictEqual(now, values.changed));
    return { writer: writer.name, field: field.name, isRefused, next };
  });
}

/** The effect of an apply: the field has the value of the user or the value of Git. */
function nextOf(outcome: Outcome, isLeft: boolean): AuditEvent['next'] {
  if (!isLeft) return 'sets it back';
  return outcome === 'conflict' ? 'fails' : 'leaves it';
}

const recorded: AuditEvent[] = [];
const ofTags = fields.filter(({ name }) => name.includes('tag'));
const others = fields.filter((field) => !ofTags.includes(field));

describe.each(names)('%s', (name) => {
  test('owns the fields that it applies, and a second apply changes nothing, until users change them', async () => {
    const writer = writerNamed(name);
    const manifest = await brought(writer, slug(name));
    const before = await stored(manifest);
    const owned = ownersOf(before)[writer.owner] ?? [];
    expect(owned).toEqual(
      expect.arrayContaining([
        'description',
        'environments.production.enabled',
        'environments.production.strategies.first.constraints',
        'environments.production.strategies.first.parameters.rollout',
        'stale',
        'variants',
      ]),
    );
    expect([await writer.apply(manifest), await writer.apply(manifest)]).toEqual(['nothing to do', 'nothing to do']);
    expect((await stored(manifest)).metadata).toEqual(before.metadata);
    recorded.push(...(await contest(writer, manifest, others)));
  });

  /** Tags are one set, so each change has a flag of its own. */
  test.concurrent.each(ofTags)('$name', async (field) => {
    const writer = writerNamed(name);
    recorded.push(...(await contest(writer, await brought(writer, slug(name, field.name)), [field])));
  });
});

test('docs/gitops.md has the results', async () => {
  const cell = ({ isRefused, next }: AuditEvent) => (isRefused ? `refused; ${next}` : next);
  const rows = names.map((name) => {
    const cells = fields.map((field) => recorded.find((one) => one.writer === name && one.field === field.name));
    return [name, ...cells.map((one) => (one ? cell(one) : '?'))].join(' | ');
  });
  const head = [`| Tool | ${fields.map((one) => one.name).join(' | ')} |`, `|---|${'---|'.repeat(fields.length)}`];
  await expectSection(PAGE, 'matrix', [...head, ...rows.map((row) => `| ${row} |`)].join('\n'));
});
