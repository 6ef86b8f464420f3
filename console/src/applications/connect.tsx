/** Connects an application: a token, the code for its SDK, and whether the SDK has reached Vexil. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf, api, prefix } from '../api.ts';
import { CopyableText } from '../copyable-text.tsx';
import { Field } from '../field.tsx';
import { Options } from '../select.tsx';
import { timeText } from '../times.ts';
import { NewToken } from '../tokens/new-token.tsx';
import { permissionFor } from '../tokens/token-types.ts';
import { useAllowed } from '../use-allowed.ts';
import { ApplicationLink } from './application-link.tsx';
import { SDKS, type SdkName } from './sdks.ts';

const LOOK_EVERY_MS = 3_000;

export function Connect() {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="card part" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Connect an application</summary>
      {isOpen && <Steps />}
    </details>
  );
}

function Steps() {
  const [appName, setAppName] = useState('my-application');
  const [sdk, setSdk] = useState<SdkName>('node');
  const [token, setToken] = useState<string>();
  const { install, code } = SDKS[sdk];
  const url = `${location.origin}${prefix}/api`;
  const shell = `${install}\nexport UNLEASH_API_TOKEN='${token ?? 'TOKEN'}'`;
  return (
    <div className="form">
      <Field label="Name of the application">
        {(ids) => <input {...ids} value={appName} onChange={({ target }) => setAppName(target.value)} />}
      </Field>
      <Field label="SDK">
        {(ids) => (
          <select {...ids} value={sdk} onChange={({ target }) => setSdk(target.value as SdkName)}>
            <Options of={Object.entries(SDKS).map(([id, { name }]) => [id, name])} />
          </select>
        )}
      </Field>
      <ClientToken isCreated={token !== undefined} onCreated={setToken} />
      <CopyableText text={shell} label="commands" />
      <CopyableText text={code({ url, appName })} label="code" />
      <p className="hint">
        In the cluster, use the address of the Service of Vexil instead of {location.origin}. Other SDKs of Unleash and
        OpenFeature work too.
      </p>
      <Connection appName={appName.trim()} />
    </div>
  );
}

interface ClientTokenProps {
  readonly isCreated: boolean;
  readonly onCreated: (value: string) => void;
}

function ClientToken({ isCreated, onCreated }: ClientTokenProps) {
  const isAllowed = useAllowed();
  const [isOpen, setOpen] = useState(false);
  if (isCreated) return <p>The commands have the new token. It is not shown again when you leave this page.</p>;
  if (!isAllowed(permissionFor('CREATE', 'client'))) {
    return <p>The application needs a client token, which you may not create: ask an admin for one.</p>;
  }
  return (
    <p>
      <button type="button" onClick={() => setOpen(true)}>
        Create a client token
      </button>
      {isOpen && <NewToken types={['client']} onCreated={onCreated} onClose={() => setOpen(false)} />}
    </p>
  );
}

function Connection({ appName }: { readonly appName: string }) {
  const { data: seen } = useQuery({
    queryKey: ['applications', 'connection', appName],
    queryFn: async () => {
      const query = { query: appName, sortBy: 'appName' as const };
      const { applications } = await answerOf(api.GET('/api/admin/metrics/applications', { params: { query } }));
      return applications.find((one) => one.appName === appName) ?? null;
    },
    enabled: appName !== '',
    refetchInterval: LOOK_EVERY_MS,
    meta: { isStanding: true },
  });
  return (
    <p role="status">
      {seen ? (
        <>
          <ApplicationLink name={appName} /> is connected, last seen {timeText(seen.lastSeen)}.
        </>
      ) : (
        appName !== '' && `Waiting for ${appName}: an SDK registers when it starts.`
      )}
    </p>
  );
}
