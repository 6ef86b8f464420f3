/** `vexil request`: asks for the changes in manifests that need approval. */
import { askingFor } from '../../src/domain/approval/target.ts';
import { resourcePath } from '../../src/kube/api/paths.ts';
import { API_VERSION } from '../../src/model/kind.ts';
import { keyOf } from '../../src/model/object.ts';
import { changeRequest } from '../../src/schema/change-request.ts';
import { type ClusterConnection, withCluster } from '../connection/cluster.ts';
import { listEnvironments } from '../connection/environments.ts';
import type { ClusterOptions, OutputOptions } from '../connection/options.ts';
import { Failure } from '../failure.ts';
import { parseManifests } from '../manifests/parse-manifests.ts';
import { metadataOf } from '../manifests/ref.ts';
import { readSources, refuseNothing } from '../manifests/source.ts';
import { EXIT, jsonText, printable, type Terminal } from '../terminal.ts';
import { canBeAsked, guardingOf, type Wanted, wantedBy } from './wanted.ts';
import { whoAmI } from './who-am-i.ts';

export interface AskOptions extends ClusterOptions, OutputOptions {
  readonly filename: readonly string[];
  readonly reason?: string;
  readonly applyAt?: string;
  readonly expiresAt?: string;
  readonly dryRun: boolean;
}

interface CreatedRequest {
  readonly kind: string;
  /** Its namespace and name. */
  readonly target: string;
  readonly request: string;
  readonly environments: readonly string[];
}

export async function runAsk(options: AskOptions, terminal: Terminal): Promise<void> {
  const sources = await readSources(options.filename, terminal.standardInput);
  const parsed = sources.map(parseManifests);
  const [unreadable] = parsed.flatMap((one) => one.unreadable);
  if (unreadable)
    throw new Failure(`${unreadable.place.file}:${unreadable.place.line}: ${unreadable.message}`, EXIT.noInput);
  const manifests = parsed.flatMap((one) => one.manifests).filter(canBeAsked);
  if (manifests.length === 0) refuseNothing('ask for', options.filename);
  const asked = await withCluster(options, terminal, async (cluster) => {
    const guarding = guardingOf(await listEnvironments(cluster), terminal);
    const wanted: Wanted[] = [];
    for (const manifest of manifests) wanted.push(...(await wantedBy(manifest, cluster, guarding)));
    const { username } = await whoAmI(cluster);
    const made: CreatedRequest[] = [];
    for (const one of wanted) made.push(await create(cluster, one, { ...options, username }));
    return made;
  });
  if (options.output === 'json') terminal.write(jsonText({ requests: asked }));
  else terminal.write(printable(textOf(asked, options)));
}

function textOf(asked: readonly CreatedRequest[], { dryRun }: AskOptions): string {
  if (asked.length === 0) return 'No change of these manifests needs approval.\n';
  const lines = asked.map(({ target, request, environments }) => {
    const where = environments.length > 0 ? ` in ${environments.join(', ')}` : '';
    return dryRun
      ? `${target}: would ask for approval${where}\n`
      : `${target}: asked for approval${where}: ${request}\n  Another person runs: vexil approve ${request}\n`;
  });
  return lines.join('');
}

async function create(
  { transport }: ClusterConnection,
  { kind: { kind }, object, values, guarded }: Wanted,
  { reason, applyAt, expiresAt, dryRun, username }: AskOptions & { readonly username: string },
): Promise<CreatedRequest> {
  const { namespace, name, uid, generation } = object.metadata;
  const body = {
    apiVersion: API_VERSION,
    kind: changeRequest.kind,
    metadata: { generateName: `${name}-`, namespace },
    spec: {
      target: { kind, name, uid, generation },
      ...askingFor(values),
      author: { kind: 'User', name: username },
      ...(reason !== undefined && { reason }),
      ...(applyAt !== undefined && { applyAt }),
      ...(expiresAt !== undefined && { expiresAt }),
    },
  };
  const path = resourcePath(changeRequest, namespace);
  const query = { fieldManager: 'vexil-cli', ...(dryRun && { dryRun: 'All' }) };
  const made = await transport.request({ method: 'POST', path, query, body });
  // The dry run of a creation has no version, which a whole object needs.
  const request = String(metadataOf(made)['name'] ?? '');
  return { kind, target: keyOf(object.metadata), request, environments: guarded };
}
