/** The strategy types: those that are built in, and those that the clients of this installation implement. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import type { Schemas } from '../api.generated.ts';
import { api, checked } from '../api.ts';
import { TypeToConfirm } from '../dialog/type-to-confirm.tsx';
import { Table } from '../list/table.tsx';
import { Loaded } from '../loaded.tsx';
import { Page } from '../page.tsx';
import { useAllowed } from '../use-allowed.ts';
import { useWrite, type WriteQuery } from '../write/use-write.tsx';
import { WriteButton } from '../write/write-button.tsx';
import { strategyTypesQuery } from './strategy-types-query.ts';

export function StrategiesPage() {
  const query = useQuery(strategyTypesQuery);
  const isAllowed = useAllowed();
  return (
    <Page title="Strategies">
      {isAllowed('POST /strategies') && (
        <p className="actions">
          <Link href="/strategies/create" className="button primary">
            New strategy type
          </Link>
        </p>
      )}
      <Loaded query={query}>
        {(types) => (
          <Table
            label="Strategy types"
            rows={types}
            keyOf={({ name }) => name}
            empty="There is no strategy type."
            columns={[
              { name: 'Type', cell: (type) => <Name type={type} /> },
              { name: 'Parameters', cell: ({ parameters }) => parameters.map(({ name }) => name).join(', ') || 'None' },
              { name: 'Actions', cell: (type) => (type.editable ? <Actions type={type} /> : null) },
            ]}
          />
        )}
      </Loaded>
    </Page>
  );
}

function Name({
  type: { name, displayName, description, editable, deprecated },
}: {
  readonly type: Schemas['StrategyType'];
}) {
  return (
    <>
      {displayName || name} {displayName !== name && <span className="hint">{name} </span>}
      <span className="mark">{editable ? 'custom' : 'built in'}</span>
      {deprecated && <span className="mark warning">deprecated</span>}
      {description && <p className="hint">{description}</p>}
    </>
  );
}

const BASE = '/api/admin/strategies/{strategyName}';

function Actions({ type: { name, deprecated } }: { readonly type: Schemas['StrategyType'] }) {
  const isAllowed = useAllowed();
  const [isAsking, setAsking] = useState(false);
  const path = { strategyName: name };
  const deprecating = useWrite({
    what: 'strategy type',
    send: (_: undefined, query: WriteQuery) => {
      const options = { params: { path, query }, parseAs: 'text' as const };
      return checked(deprecated ? api.POST(`${BASE}/reactivate`, options) : api.POST(`${BASE}/deprecate`, options));
    },
  });
  const deleting = useWrite({
    what: 'strategy type',
    send: (_: undefined, query: WriteQuery) => checked(api.DELETE(BASE, { params: { path, query }, parseAs: 'text' })),
  });
  const action = deprecated ? 'Reactivate' : 'Deprecate';
  return (
    <span className="buttons">
      {isAllowed('PUT /strategies/{strategyName}') && (
        <Link href={`/strategies/${encodeURIComponent(name)}/edit`} className="button" aria-label={`Edit ${name}`}>
          Edit
        </Link>
      )}
      {isAllowed(`POST /strategies/{strategyName}/${deprecated ? 'reactivate' : 'deprecate'}`) && (
        <WriteButton
          label={`${action} ${name}`}
          question={`${action} ${name}?`}
          onWrite={(reason) => deprecating.write(undefined, reason)}
        >
          {action}
        </WriteButton>
      )}
      {isAllowed('DELETE /strategies/{strategyName}') && (
        <button type="button" className="danger" aria-label={`Delete ${name}`} onClick={() => setAsking(true)}>
          Delete
        </button>
      )}
      {isAsking && (
        <TypeToConfirm
          title={`Delete ${name}?`}
          caution="A type that a flag uses is not deleted: deprecate it instead."
          name={name}
          onClose={() => setAsking(false)}
          onConfirm={(reason) => deleting.write(undefined, reason)}
        />
      )}
      {deprecating.problem}
      {deleting.problem}
    </span>
  );
}
