/** The tokens of the measured callers, as applications and programs have them. */
import type { KeptClient } from './kept-client.ts';

/** The bootstrap token of the operator. */
export const ADMIN_TOKEN = `*:*.${'5f'.repeat(28)}`;

export interface SdkTokens {
  readonly client: string;
  readonly frontend: string;
}

/** Creates the tokens. `api` is the admin API. */
export async function createSdkTokens(api: KeptClient): Promise<SdkTokens> {
  return { client: await create(api, 'client'), frontend: await create(api, 'frontend') };
}

async function create(api: KeptClient, type: keyof SdkTokens): Promise<string> {
  const body = { tokenName: `bench-${type}`, type, environment: 'production', projects: ['shop'] };
  const { bytes } = await api.call({ method: 'POST', path: '/api/admin/api-tokens', body });
  const { secret } = JSON.parse(bytes.toString()) as { readonly secret: string };
  return secret;
}

/** The tokens that callers of this path send. */
export function authorizationFor(path: string, { client, frontend }: SdkTokens): { readonly Authorization: string } {
  if (path.startsWith('/api/admin/')) return { Authorization: ADMIN_TOKEN };
  return { Authorization: path.startsWith('/api/client/') ? client : frontend };
}
