/** `vexil requests NAME`: what a change request asks for, and what users would get. */

import { type Catalog, createCatalog } from '../../src/catalog/catalog.ts';
import { timeOfRequest } from '../../src/delivery/change-effects.ts';
import { effectsOfRequest, hasEffects } from '../../src/delivery/request-effects.ts';
import { environmentsNamed, targetRefOf } from '../../src/domain/approval/target.ts';
import { environmentsUsing, segmentNamesOf } from '../../src/domain/flag/segments-of-flag.ts';
import { type Named, wireNameOf } from '../../src/domain/identity/names.ts';
import { emptyStores } from '../../src/kinds/empty-stores.ts';
import { API_VERSION } from '../../src/model/kind.ts';
import type { Ref } from '../../src/model/object.ts';
import type { ChangeRequest } from '../../src/schema/change-request.ts';
import { environment } from '../../src/schema/environment.ts';
import { decidingKindNames, kindsByName } from '../../src/schema/kinds.ts';
import { presentChangeEffects } from '../../src/wire/playground/change-effects.ts';
import { type ClusterConnection, listReadable, withCluster } from '../connection/cluster.ts';
import type { ClusterOptions, OutputOptions } from '../connection/options.ts';
import { Failure } from '../failure.ts';
import { EXIT, jsonText, printable, type Terminal } from '../terminal.ts';
import { timeOf } from '../time.ts';
import { effectsText } from './effects-text.ts';
import { changesText, findRequest, targetOf } from './find-request.ts';
import { shownRequest } from './list.ts';

export interface ShowRequestOptions extends ClusterOptions, OutputOptions {
  readonly at?: string;
}

export async function runShowRequest(name: string, options: ShowRequestOptions, terminal: Terminal): Promise<void> {
  await withCluster(options, terminal, async (cluster) => {
    const request = await findRequest(cluster, name);
    const target = await targetOf(cluster, request);
    const effects = await effectsOf(cluster, request, { ...terminal, at: options.at });
    if (options.output === 'json') {
      const shown = { ...shownRequest(request), ...(effects && { effects: effects.shown }) };
      terminal.write(jsonText(shown));
      return;
    }
    terminal.write(changesText(request, target, terminal) + printable(stateText(request)));
    if (effects) terminal.write(printable(effectsText(effects)));
  });
}

function stateText(request: ChangeRequest): string {
  const { phase, approvals, message } = shownRequest(request);
  const progress = [phase, ...(approvals === '' ? [] : [`${approvals} approvals`])].join(', ');
  return `${progress}${message === '' ? '' : `: ${message}`}\n`;
}

interface Evaluating extends Pick<Terminal, 'now' | 'writeError'> {
  readonly at: string | undefined;
}

async function effectsOf(
  cluster: ClusterConnection,
  request: ChangeRequest,
  { now, writeError, at: text }: Evaluating,
) {
  const { namespace } = request.metadata;
  const { kind } = request.spec.target;
  if (kind !== 'FeatureFlag' && kind !== 'Segment') return undefined;
  const catalog = await catalogOf({ ...cluster, namespace }, request, { now, writeError });
  const target = catalog.targetOf(request);
  if (!hasEffects(target))
    throw new Failure(`you may not list the flags and segments in the namespace "${namespace}"`, EXIT.noPermission);
  // The user may read all that was listed.
  const readsSegment = () => true;
  const effects = await effectsOfRequest(target, request, {
    ...{ catalog, readsSegment },
    at: text === undefined ? undefined : timeOf(text, timeOfRequest(request, now()) ?? now()),
    readsFlagsOf: () => true,
    // Nobody else waits for this process.
    turn: () => undefined,
  });
  return { effects, shown: presentChangeEffects(effects, readsSegment) };
}

/** The objects that decide what users get, as far as the user may list them. */
async function catalogOf(
  cluster: ClusterConnection,
  request: ChangeRequest,
  { now, writeError }: Pick<Terminal, 'now' | 'writeError'>,
): Promise<Catalog> {
  const { stores, fill, put } = emptyStores();
  for (const kind of decidingKindNames) fill(kind, (await listReadable(cluster, kindsByName[kind])) ?? []);
  const [first] = stores.environments.all();
  const home = first?.metadata.namespace ?? cluster.namespace;
  const segment = stores.segments.get(targetRefOf(request));
  const using = segment ? environmentsUsing([...stores.flags.all()], wireNameOf(segment)) : [];
  for (const name of lacking([...environmentsNamed(request.spec), ...using], stores.environments.all())) {
    writeError(`note: you may not read the Environment ${name}, so its freezes are not considered\n`);
    put('environments', anEnvironment({ namespace: home, name }));
  }
  for (const name of lacking(segmentNamesOf(request), stores.segments.all()))
    writeError(`note: there is no Segment ${name} that you may read, so the flag is shown as off with it\n`);
  return createCatalog(stores, now, { home });
}

function lacking(names: Iterable<string>, objects: Iterable<Named>): readonly string[] {
  const known = new Set([...objects].map(wireNameOf));
  return [...names].filter((name) => !known.has(name));
}

/** Approvers often may not read Environments, which are in the operator namespace. */
function anEnvironment(ref: Ref): unknown {
  const creationTimestamp = new Date(0).toISOString();
  return {
    apiVersion: API_VERSION,
    kind: environment.kind,
    metadata: { ...ref, uid: ref.name, resourceVersion: '1', generation: 1, creationTimestamp },
    spec: {},
  };
}
