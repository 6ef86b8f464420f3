/**
 * A certified provider of OpenID Connect on this machine. It signs in one user without a prompt, and can send wrong ID
 * tokens.
 */
import { createSign, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider, { type KoaContextWithOIDC } from 'oidc-provider';

export const CLIENT = { id: 'vexil', secret: 'a-client-secret-of-a-test' };

type Claims = Record<string, unknown>;

export interface IdentityProvider {
  readonly issuer: string;
  /** The claims of the user who signs in next. `sub` is the account. */
  user: Claims & { readonly sub: string };
  /** Changes the claims of ID tokens, which are signed again with the key of the provider. */
  tamper: ((claims: Claims) => Claims) | undefined;
  /** Whether ID tokens are signed with a key that the provider does not publish. */
  usesForeignKey: boolean;
  /** The number of sessions that users have ended at the provider. */
  readonly ended: number;
  stop(): Promise<void>;
}

const KEY = { kid: 'key-1', alg: 'RS256', use: 'sig' };

export async function startIdentityProvider(redirectUrls: readonly string[]): Promise<IdentityProvider> {
  const own = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
  const foreign = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
  let serve: RequestListener = (_request, response) => response.writeHead(503).end();
  const server = createServer((request, response) => serve(request, response));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const issuer = `http://127.0.0.1:${port}`;
  let ended = 0;
  const state: IdentityProvider = {
    issuer,
    get ended() {
      return ended;
    },
    user: { sub: 'ada' },
    tamper: undefined,
    usesForeignKey: false,
    async stop() {
      server.closeAllConnections();
      server.close();
    },
  };
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: [...redirectUrls],
        post_logout_redirect_uris: redirectUrls.map((url) => new URL('../../login', url).href),
        grant_types: ['authorization_code'],
        response_types: ['code'],
      },
    ],
    jwks: { keys: [{ ...own.export({ format: 'jwk' }), ...KEY }] },
    pkce: { required: () => true },
    claims: { openid: ['sub', 'groups'], email: ['email', 'email_verified'], profile: ['name'] },
    // The ID token contains the claims of scopes, as with other providers.
    conformIdTokenClaims: false,
    cookies: { keys: ['cookies-of-a-test'] },
    features: { devInteractions: { enabled: false }, rpInitiatedLogout: { enabled: true, logoutSource: askToSignOut } },
    findAccount: (_context: KoaContextWithOIDC, sub: string) => ({
      accountId: sub,
      claims: async () => ({ ...state.user, sub }),
    }),
    interactions: { url: (_context: KoaContextWithOIDC, { uid }: { uid: string }) => `/interaction/${uid}` },
  });
  provider.on('end_session.success', () => {
    ended += 1;
  });
  const callback = provider.callback();
  serve = (request, response) => {
    if (request.url?.startsWith('/interaction/')) void signIn(provider, state.user.sub, { request, response });
    else {
      if (request.url === '/token')
        resign(
          response,
          (claims) => state.tamper?.(claims) ?? claims,
          () => (state.usesForeignKey ? foreign : own),
        );
      callback(request, response);
    }
  };
  return state;
}

/** `form` has the id `op.logoutForm`. */
function askToSignOut(context: KoaContextWithOIDC, form: string): void {
  const button = '<button type="submit" form="op.logoutForm" name="logout" value="yes">Sign out everywhere</button>';
  context.body = `<!DOCTYPE html><html lang="en"><title>Sign out</title>${form}${button}</html>`;
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Signs in as a user who agrees. */
async function signIn(provider: Provider, accountId: string, { request, response }: Exchange): Promise<void> {
  const grant = new provider.Grant({ accountId, clientId: CLIENT.id });
  grant.addOIDCScope('openid email profile');
  const consent = { grantId: await grant.save() };
  await provider.interactionFinished(request, response, { login: { accountId }, consent });
}

/** Puts another ID token into the answer. */
function resign(response: ServerResponse, change: (claims: Claims) => Claims, key: () => KeyObject): void {
  const end = response.end.bind(response);
  const encode = (part: unknown) => Buffer.from(JSON.stringify(part)).toString('base64url');
  Object.assign(response, {
    end(text: string) {
      const body = JSON.parse(text);
      if (typeof body.id_token !== 'string') return end(text);
      const claims = JSON.parse(Buffer.from(body.id_token.split('.')[1], 'base64url').toString());
      const unsigned = `${encode({ alg: KEY.alg, kid: KEY.kid })}.${encode(change(claims))}`;
      const signature = createSign('sha256').update(unsigned).sign(key(), 'base64url');
      const changed = JSON.stringify({ ...body, id_token: `${unsigned}.${signature}` });
      response.setHeader('Content-Length', Buffer.byteLength(changed));
      return end(changed);
    },
  });
}
