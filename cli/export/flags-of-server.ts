/** Reads the fields of flags that a GitOps tool owns, or those that people own, from the API of Vexil. */
import { z } from 'zod';
import { recordOf } from '../../src/model/json.ts';
import { isServedVersion } from '../../src/model/kind.ts';
import { readYaml } from '../../src/model/yaml/yaml.ts';
import { featureFlag } from '../../src/schema/feature-flag.ts';
import { MAX_FOUND } from '../../src/wire/admin/flag/feature-search-query.ts';
import type { ServerOptions } from '../connection/options.ts';
import { itemsOfPages, sizeBound } from '../connection/pages.ts';
import { type ApiAnswer, ApiFailure, bodyAs, connectServer, type ServerConnection } from '../connection/server.ts';
import { InputError } from '../failure.ts';
import { type ManifestFile, manifestPath } from '../files/manifest-file.ts';
import { pathOfFlag } from '../flags/flag-on-server.ts';
import { metadataOf } from '../manifests/ref.ts';
import type { Terminal } from '../terminal.ts';
import type { ExportedFlags } from './exported-flags.ts';

export type OwnedBy = 'git' | 'people';

/** Reads the flags that the caller may read, except archived ones. The server knows which managers are GitOps tools. */
export async function flagsOfServer(
  options: ServerOptions,
  owned: OwnedBy,
  terminal: Pick<Terminal, 'environment'>,
): Promise<ExportedFlags> {
  const server = await connectServer(options, terminal);
  const files: ManifestFile[] = [];
  const notes: string[] = [];
  const count = sizeBound(server.address);
  for await (const flag of flagsOf(server)) {
    const path = pathOfFlag(flag);
    try {
      const found = fileOf(await server.call({ method: 'GET', path, query: { owned }, accept: 'application/yaml' }));
      for (const { text } of found) count(text.length);
      files.push(...found);
    } catch (error) {
      // Such as a flag that was archived after the list was read.
      if (!(error instanceof ApiFailure)) throw error;
      notes.push(`${flag.name} is left out: ${error.message}`);
    }
  }
  return { files, namespace: undefined, notes };
}

const SEARCH = '/search/features';
/** Of the answer of a search, only what is needed: a later server may say more. */
const foundFlags = z.object({
  features: z.array(z.object({ project: z.string(), name: z.string() })),
  total: z.int(),
});

function flagsOf(server: ServerConnection) {
  const read = async (offset = 0) => {
    const query = { limit: MAX_FOUND, offset };
    const { features: items, total } = bodyAs(foundFlags, await server.call({ method: 'GET', path: SEARCH, query }));
    const next = offset + MAX_FOUND;
    return { items, next: items.length > 0 && next < total ? next : undefined };
  };
  return itemsOfPages({ place: server.address, what: 'flags', read });
}

/** Returns no file if the manifest has only the fields that identify the flag. */
function fileOf({ body }: ApiAnswer): readonly ManifestFile[] {
  if (typeof body !== 'string') return [];
  const manifest = readYaml(body);
  const { apiVersion, kind, spec } = recordOf(manifest);
  if (!isServedVersion(apiVersion) || kind !== featureFlag.kind)
    throw new InputError(`nothing was written: the server sent ${String(kind)} in ${String(apiVersion)}, not a flag`);
  const { project: _project, name: _name, ...said } = recordOf(spec);
  const { namespace, name } = metadataOf(manifest);
  if (Object.keys(said).length === 0 || typeof namespace !== 'string' || typeof name !== 'string') return [];
  return [{ path: manifestPath({ folder: namespace, plural: featureFlag.plural, name }), text: body }];
}
