/** Signs a user in, with a token or at an identity provider. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useEffect, useState } from 'react';
import { Link, useLocation, useSearchParams } from 'wouter';
import { ApiError, prefix, startSession } from './api.ts';
import { announceSession } from './connection/change-feed.ts';
import { CopyableText } from './copyable-text.tsx';
import { meQuery, methodsQuery } from './queries.ts';

export function LoginPage() {
  const { data: methods } = useQuery(methodsQuery);
  const { data: me } = useQuery({ ...meQuery, staleTime: 0 });
  useEffect(() => {
    document.title = 'Sign in · Vexil';
  }, []);
  return (
    <main className="login">
      <h1>Vexil</h1>
      {methods?.length === 0 ? (
        <p>
          This Vexil needs no token. <Link href="/">Go to the projects</Link>
        </p>
      ) : (
        <>
          {me && <SignedIn name={me.name ?? me.username} />}
          {methods?.map(({ issuer }) => issuer && <ProviderLink key={issuer} issuer={issuer} />)}
          <TokenForm />
          <HowToGetOne />
        </>
      )}
    </main>
  );
}

/** Leads on somebody who is signed in; the forms below sign in another user. */
function SignedIn({ name }: { readonly name: string }) {
  return (
    <p>
      You are signed in as {name}. <Link href={useNext()}>Go on</Link>
    </p>
  );
}

/** The page to open after the sign-in. */
function useNext(): string {
  const [search] = useSearchParams();
  const next = search.get('next') ?? '/';
  return next.startsWith('/') ? next : '/';
}

const COMMANDS = `kubectl create token NAME -n NAMESPACE --audience vexil --duration 12h
kubectl get secret vexil-admin-token -n vexil-system -o jsonpath='{.data.token}' | base64 -d`;

function HowToGetOne() {
  return (
    <details>
      <summary>How do I get a token?</summary>
      <p className="hint">
        The first command makes a token of a ServiceAccount. The second shows the admin token, if the chart has created
        one with these names.
      </p>
      <CopyableText text={COMMANDS} label="commands" />
    </details>
  );
}

/** Why the identity provider sent the user back to this page. */
const FAILURES: Readonly<Record<string, string>> = {
  unavailable: 'The identity provider does not answer. Try again later, or sign in with a token.',
  refused: 'The identity provider did not sign you in, or names no user. The log of Vexil says why.',
  attempt: 'This sign-in has ended, or began in another browser. Sign in again.',
};

/** The link leaves the page; the provider leads back to it. */
function ProviderLink({ issuer }: { readonly issuer: string }) {
  const [search] = useSearchParams();
  const next = new URLSearchParams({ next: search.get('next') ?? '/' });
  return (
    <>
      <p className="error" role="alert">
        {FAILURES[search.get('failed') ?? '']}
      </p>
      <a className="primary provider" href={`${prefix}/auth/oidc/login?${next}`}>
        Sign in with {new URL(issuer).host}
      </a>
      <p className="hint">Or with a token:</p>
    </>
  );
}

/** Replaces the answer to a wrong token, which is about headers and this page. */
function sentenceFor(failure: unknown): string {
  if (failure instanceof ApiError && failure.status === 401) return 'This token is not valid, or has expired.';
  return failure instanceof Error ? failure.message : String(failure);
}

function TokenForm() {
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const next = useNext();
  const [error, setError] = useState<string>();
  const [isSending, setSending] = useState(false);
  const signIn = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const token = new FormData(event.currentTarget).get('token');
    setSending(true);
    try {
      await startSession(`${token}`);
      client.clear();
      announceSession();
      navigate(next, { replace: true });
    } catch (failure) {
      setError(sentenceFor(failure));
      setSending(false);
    }
  };
  return (
    <form onSubmit={(event) => void signIn(event)}>
      <label htmlFor="token">Token</label>
      <input
        id="token"
        name="token"
        type="password"
        autoComplete="off"
        required
        aria-invalid={error !== undefined}
        aria-describedby="token-hint token-error"
      />
      <p id="token-hint" className="hint">
        A personal or admin token, or the token of a Kubernetes user or service account. Vexil keeps it encrypted in a
        cookie, for 12 hours at most.
      </p>
      <p id="token-error" className="error" role="alert">
        {error}
      </p>
      <button type="submit" className="primary" disabled={isSending}>
        Sign in
      </button>
    </form>
  );
}
