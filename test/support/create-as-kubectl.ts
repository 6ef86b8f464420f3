/** Creates objects as `kubectl apply` does, without the third of a second that starting kubectl takes. */
import { isClusterError } from '../../src/errors.ts';
import type { Transport } from '../../src/kube/api/transport.ts';
import type { Manifest } from './builders.ts';

export const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** Returns the objects that exist already, which kubectl has to compare with what it applied last. */
export async function createAsKubectl(
  transport: Transport,
  manifests: readonly Manifest[],
): Promise<readonly Manifest[]> {
  const existing: Manifest[] = [];
  // Objects are created one after the other, as kubectl does: tests rely on which object is older.
  for (const manifest of manifests) {
    if (!(await create(transport, manifest))) existing.push(manifest);
  }
  return existing;
}

async function create(transport: Transport, manifest: Manifest): Promise<boolean> {
  const { apiVersion, kind, metadata } = manifest;
  const path = `/apis/${apiVersion}/namespaces/${metadata.namespace}/${kind.toLowerCase()}s`;
  const applied = lastAppliedOf(manifest);
  try {
    await transport.request({
      method: 'POST',
      path,
      query: { fieldManager: 'kubectl-client-side-apply', fieldValidation: 'Strict' },
      body: withAnnotations(manifest, { [LAST_APPLIED]: applied }),
      contentType: 'application/json',
    });
    return true;
  } catch (error) {
    if (isClusterError(error, 'name-taken')) return false;
    throw error;
  }
}

/** The annotation that `kubectl apply` writes about what it applies. */
export function lastAppliedOf(manifest: Manifest): string {
  return `${asInGo(withAnnotations(manifest, {}))}\n`;
}

function withAnnotations({ metadata, ...rest }: Manifest, annotations: Readonly<Record<string, string>>): object {
  return { ...rest, metadata: { ...metadata, annotations: { ...metadata.annotations, ...annotations } } };
}

/**
 * Returns the JSON that kubectl writes, byte for byte, so that kubectl finds nothing to do when it applies the same.
 */
function asInGo(value: unknown): string {
  const text = JSON.stringify(value, (_, part: unknown) => {
    const isMap = typeof part === 'object' && part !== null && !Array.isArray(part);
    return isMap ? Object.fromEntries(Object.entries(part).toSorted(([one], [other]) => (one < other ? -1 : 1))) : part;
  });
  return text.replace(/[<>&\u2028\u2029]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
