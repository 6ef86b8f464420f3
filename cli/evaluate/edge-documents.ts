/** What an edge serves of manifests: a document for each environment, as SDKs would get it from the operator now. */
import { createCatalogOrigin } from '../../src/delivery/catalog-origin.ts';
import { wireNameOf } from '../../src/domain/identity/names.ts';
import type { ClientDocument } from '../../src/wire/client/read-document.ts';
import { uniqueSegments } from '../../src/wire/client/segment.ts';
import type { Terminal } from '../terminal.ts';
import { loadManifests } from './load-manifests.ts';

/** Throws an InputError for manifests that the API server would reject. */
export async function edgeDocuments(
  path: string,
  terminal: Pick<Terminal, 'standardInput' | 'now'>,
): Promise<ReadonlyMap<string, ClientDocument>> {
  const { catalog } = await loadManifests({ paths: [path], namespace: 'default' }, terminal);
  const origin = createCatalogOrigin(catalog);
  const documentOf = (environment: string): ClientDocument => {
    const flags = origin.groups(undefined).flatMap((group) => [...group.flags(environment)]);
    const read = flags.map((flag) => ({ ...flag.read(), vexil: { tags: flag.tags, plan: flag.plan() } }));
    return {
      features: read.map(({ feature, vexil }) => ({ ...feature, vexil })),
      segments: uniqueSegments(read.flatMap(({ segments }) => segments)),
    };
  };
  return new Map(
    catalog
      .environments()
      .map(wireNameOf)
      .map((name) => [name, documentOf(name)]),
  );
}
