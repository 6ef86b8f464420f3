/** The environments, and the flags whose state differs between two of them. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schemas } from '../api.generated.ts';
import { api, asManifest, checked } from '../api.ts';
import { CopyableText } from '../copyable-text.tsx';
import { ConfirmDialog } from '../dialog/confirm-dialog.tsx';
import { freezeText } from '../freeze-notice.tsx';
import { Table } from '../list/table.tsx';
import { Loaded } from '../loaded.tsx';
import { Page } from '../page.tsx';
import { allEnvironmentsQuery } from '../queries.ts';
import { useAllowed } from '../use-allowed.ts';
import { StoredManifest } from '../write/stored-manifest.tsx';
import { useWrite, type WriteQuery } from '../write/use-write.tsx';
import { Comparison } from './comparison.tsx';

export function EnvironmentsPage() {
  const query = useQuery(allEnvironmentsQuery);
  return (
    <Page title="Environments">
      <Loaded query={query}>
        {(environments) => (
          <>
            <Environments environments={environments} />
            <Comparison environments={environments} />
            <Manifests environments={environments} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Environments({ environments }: { readonly environments: readonly Schemas['Environment'][] }) {
  return (
    <Table
      label="Environments"
      rows={environments}
      keyOf={({ name }) => name}
      empty="There is no environment."
      columns={[
        { name: 'Environment', cell: (one) => <Name environment={one} /> },
        { name: 'Type', cell: ({ type }) => type },
        { name: 'Projects', cell: ({ projectCount }) => projectCount, isNumber: true },
        { name: 'Flags on', cell: ({ enabledToggleCount }) => enabledToggleCount, isNumber: true },
        { name: 'Tokens', cell: ({ apiTokenCount }) => apiTokenCount, isNumber: true },
        { name: 'Freeze', cell: ({ freeze }) => freezeText(freeze) },
        { name: 'State', cell: (one) => <State environment={one} /> },
      ]}
    />
  );
}

function Name({
  environment: { name, displayName, protected: isProtected },
}: {
  readonly environment: Schemas['Environment'];
}) {
  return (
    <>
      {displayName} {displayName !== name && <span className="hint">{name}</span>}
      {isProtected && <span className="mark">protected</span>}
    </>
  );
}

const BASE = '/api/admin/environments/{environment}';

function State({ environment }: { readonly environment: Schemas['Environment'] }) {
  const { name, displayName, enabled } = environment;
  const isAllowed = useAllowed(undefined, name);
  const [isAsking, setAsking] = useState(false);
  const { write, isPending, problem } = useWrite({
    ...{ what: 'environment', canAsk: true },
    send(isOn: boolean, query: WriteQuery) {
      const params = { path: { environment: name }, query };
      const parseAs = 'text';
      return checked(isOn ? api.POST(`${BASE}/on`, { params, parseAs }) : api.POST(`${BASE}/off`, { params, parseAs }));
    },
  });
  const action = enabled ? 'Disable' : 'Enable';
  return (
    <>
      <span className={enabled ? 'state on' : 'state'}>{enabled ? 'Enabled' : 'Disabled'}</span>{' '}
      {isAllowed(`POST /environments/{environment}/${enabled ? 'off' : 'on'}`) && (
        <button type="button" disabled={isPending} aria-label={`${action} ${name}`} onClick={() => setAsking(true)}>
          {action}
        </button>
      )}
      {isAsking && (
        <ConfirmDialog
          question={`${action} ${displayName}?`}
          caution={
            enabled
              ? 'Projects that do not list this environment stop using it: all their flags are off there.'
              : 'Projects that do not list their environments use this one again, with the configuration that their flags have for it.'
          }
          action={action}
          onClose={() => setAsking(false)}
          onConfirm={(reason) => write(!enabled, reason)}
        />
      )}
      {problem}
    </>
  );
}

const EXAMPLE = `apiVersion: vexil.dev/v1beta1
kind: Environment
metadata:
  name: staging
spec:
  type: pre-production
  displayName: Staging
  sortOrder: 3`;

function Manifests({ environments }: { readonly environments: readonly Schemas['Environment'][] }) {
  return (
    <section className="part">
      <h2>Add or change an environment</h2>
      <p>
        Environments are objects in the namespace of Vexil. Commit the changed manifest of one, with its labels and
        annotations, or apply it with kubectl.
      </p>
      {environments.map(({ name }) => (
        <Manifest key={name} name={name} />
      ))}
      <details>
        <summary>Example of a new environment</summary>
        <CopyableText label="YAML of a new environment" text={EXAMPLE} />
      </details>
    </section>
  );
}

function Manifest({ name }: { readonly name: string }) {
  const isAllowed = useAllowed(undefined, name);
  if (!isAllowed('GET /environments/{environment}')) return null;
  const params = { path: { environment: name } };
  return (
    <StoredManifest
      of={name}
      queryKey={['environments', name, 'manifest']}
      read={() => api.GET(BASE, { params, ...asManifest })}
    />
  );
}
