/** Waits until admission policies take effect. */
import type { Call } from '../../../src/kube/api/transport.ts';
import { VERSION } from '../../../src/model/kind.ts';
import { aFlag } from '../builders.ts';
import { inVersion, pathIn } from '../in-version.ts';
import { objectPath } from './objects.ts';
import { waitUntil } from './wait-until.ts';

interface Writer {
  request(call: Call): Promise<unknown>;
}

/**
 * Resolves when flags can be created. An API server that has just started, or has just received the definitions, reads
 * the kinds that policies select a little later, and until then refuses what a policy would change. Writes nothing.
 */
export async function untilAdmitted(writer: Writer, namespace: string, version = VERSION): Promise<void> {
  const body = inVersion(version, aFlag(`${namespace}/probe`));
  const create: Call = {
    method: 'POST',
    path: pathIn(version, objectPath('ff', namespace)),
    query: { dryRun: 'All' },
    body,
  };
  await waitUntil({ what: 'flags can be created' }, () =>
    writer.request(create).then(
      () => true,
      () => false,
    ),
  );
}
