/** The versions of Events, which a search of the past need not examine. */
import { expect, test } from 'vitest';
import { ClusterError } from '../../../../src/errors.ts';
import type { Call, Transport } from '../../../../src/kube/api/transport.ts';
import { createPast } from '../../../../src/kube/cache/past.ts';
import { PROBE } from '../../../support/probe.ts';

const event = (name: string, resourceVersion: string) => ({
  metadata: { namespace: 'any', name, uid: `uid-${name}`, resourceVersion },
});

/** A cluster at version 90. */
function pastWith(eventsAt: string, { isForbidden = false } = {}) {
  const paths: string[] = [];
  const pages = [
    { metadata: { resourceVersion: eventsAt, continue: 'next' }, items: [event('a', '70')] },
    { metadata: { resourceVersion: eventsAt }, items: [event('b', '80')] },
  ];
  const request = async ({ path, query = {} }: Call) => {
    paths.push(path);
    if (!path.endsWith('/events')) return { metadata: { resourceVersion: '90' }, items: [] };
    if (isForbidden) throw new ClusterError('missing-permission', 'the operator may not list Events');
    return pages[query['continue'] === undefined ? 0 : 1];
  };
  const transport: Transport = {
    request,
    stream: () => Promise.reject(new Error('no stream')),
    close: () => undefined,
  };
  const signal = new AbortController().signal;
  return { past: createPast({ scope: 'probes/any', transport, kind: PROBE, namespace: 'any', signal }), paths };
}

test('are those of all pages', async () => {
  const { past, paths } = pastWith('90');
  expect(await past.eventVersions()).toEqual([70n, 80n]);
  expect(paths).toContain('/apis/events.k8s.io/v1/namespaces/any/events');
});

test.each(['89', '91', '1234567'])(
  'are not used if Events have an etcd of their own, at version %s',
  async (version) => {
    expect(await pastWith(version).past.eventVersions()).toEqual([]);
  },
);

test('are not used without the permission to list Events', async () => {
  expect(await pastWith('90', { isForbidden: true }).past.eventVersions()).toEqual([]);
});
