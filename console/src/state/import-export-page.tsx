/** All flags as one document: its export, and an import that shows its plan first. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { prefix } from '../api.ts';
import { Field } from '../field.tsx';
import { Page } from '../page.tsx';
import { allEnvironmentsQuery } from '../queries.ts';
import { Options } from '../select.tsx';
import { useAllowed } from '../use-allowed.ts';
import { Import } from './import.tsx';

export function ImportExportPage() {
  const isAllowed = useAllowed();
  return (
    <Page title="Import and export">
      {isAllowed('GET /state/export') && <Export />}
      {isAllowed('POST /state/import') && <Import />}
    </Page>
  );
}

function Export() {
  const { data: environments = [] } = useQuery(allEnvironmentsQuery);
  const [format, setFormat] = useState('yaml');
  const [environment, setEnvironment] = useState('');
  const search = new URLSearchParams({ format, download: 'true', ...(environment !== '' && { environment }) });
  return (
    <section className="card part form">
      <h2>Export</h2>
      <p className="hint">Flags, strategy types, segments, projects, tags and environments; no archived flags.</p>
      <Field label="Format">
        {(ids) => (
          <select {...ids} value={format} onChange={({ target }) => setFormat(target.value)}>
            <option value="yaml">YAML</option>
            <option value="json">JSON</option>
          </select>
        )}
      </Field>
      <Field
        label="Environment of older clients"
        hint="They read one state for each flag. The document has all environments in any case."
      >
        {(ids) => (
          <select {...ids} value={environment} onChange={({ target }) => setEnvironment(target.value)}>
            <Options none="The first" of={environments.map(({ name, displayName }) => [name, displayName])} />
          </select>
        )}
      </Field>
      <div className="actions">
        <a className="button primary" href={`${prefix}/api/admin/state/export?${search}`} download>
          Download
        </a>
      </div>
    </section>
  );
}
