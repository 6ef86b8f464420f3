/** The API tokens: lists, creates and deletes them. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schemas } from '../api.generated.ts';
import { answerOf, api, checked } from '../api.ts';
import { ConfirmDialog } from '../dialog/confirm-dialog.tsx';
import { Table } from '../list/table.tsx';
import { Loaded } from '../loaded.tsx';
import { Page } from '../page.tsx';
import { REFETCH_MS } from '../queries.ts';
import { dayText, timeText } from '../times.ts';
import { useAllowed } from '../use-allowed.ts';
import { useWrite, type WriteQuery } from '../write/use-write.tsx';
import { NewToken } from './new-token.tsx';
import { CREATABLE, permissionFor } from './token-types.ts';

type Token = Omit<Schemas['ApiToken'], 'alias'>;

export function TokensPage() {
  const query = useQuery({
    queryKey: ['tokens'],
    queryFn: async () => (await answerOf(api.GET('/api/admin/api-tokens'))).tokens,
    // The stream of changes does not announce tokens.
    refetchInterval: REFETCH_MS,
  });
  return (
    <Page title="Tokens">
      <p className="hint">
        SDKs read flags with client and frontend tokens; programs call the admin API with admin tokens. The values are
        in Secrets of the cluster, and are shown once.
      </p>
      <Creation />
      <Loaded query={query}>{(tokens) => <Tokens tokens={tokens} />}</Loaded>
    </Page>
  );
}

function Creation() {
  const isAllowed = useAllowed();
  const [isOpen, setOpen] = useState(false);
  const types = CREATABLE.filter((type) => isAllowed(permissionFor('CREATE', type)));
  if (types.length === 0) return null;
  return (
    <p className="actions">
      <button type="button" className="primary" onClick={() => setOpen(true)}>
        New token
      </button>
      {isOpen && <NewToken types={types} onClose={() => setOpen(false)} />}
    </p>
  );
}

function Tokens({ tokens }: { readonly tokens: readonly Token[] }) {
  return (
    <Table
      label="Tokens"
      rows={tokens}
      keyOf={({ tokenName }) => tokenName}
      empty="There is no token that you may see."
      columns={[
        { name: 'Token', cell: (token) => <Name token={token} /> },
        { name: 'Environment', cell: ({ environment }) => (environment === '*' ? 'All' : environment) },
        { name: 'Projects', cell: ({ projects }) => (projects.includes('*') ? 'All' : projects.join(', ')) },
        { name: 'Last used', cell: ({ seenAt }) => (seenAt === null ? 'Never' : timeText(seenAt)) },
        { name: 'Expires', cell: (token) => <Expiry token={token} /> },
        { name: 'Actions', cell: (token) => <Revocation token={token} /> },
      ]}
    />
  );
}

function Name({ token: { tokenName, type, secret } }: { readonly token: Token }) {
  return (
    <>
      {tokenName} <span className="mark">{type}</span>
      <p className="hint">
        <code>{secret}</code>
      </p>
    </>
  );
}

function Expiry({ token: { expiresAt } }: { readonly token: Token }) {
  if (expiresAt === null) return 'Never';
  const isPast = Date.parse(expiresAt) <= Date.now();
  return isPast ? <span className="mark warning">expired {dayText(expiresAt)}</span> : dayText(expiresAt);
}

function Revocation({ token: { tokenName, type } }: { readonly token: Token }) {
  const isAllowed = useAllowed();
  const [isAsking, setAsking] = useState(false);
  const { write, isPending, problem } = useWrite({
    what: 'token',
    send: (_: undefined, query: WriteQuery) =>
      checked(
        api.DELETE('/api/admin/api-tokens/{tokenName}', { params: { path: { tokenName }, query }, parseAs: 'text' }),
      ),
  });
  if (!isAllowed(permissionFor('DELETE', type))) return null;
  return (
    <>
      <button type="button" disabled={isPending} aria-label={`Revoke ${tokenName}`} onClick={() => setAsking(true)}>
        Revoke
      </button>
      {isAsking && (
        <ConfirmDialog
          question={`Revoke ${tokenName}?`}
          caution="Programs that use the token are refused from now on. This cannot be undone."
          action="Revoke"
          onClose={() => setAsking(false)}
          onConfirm={(reason) => write(undefined, reason)}
        />
      )}
      {problem}
    </>
  );
}
