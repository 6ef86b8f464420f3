/** An import: the document and the handling of existing objects, then the plan, then the import. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Link } from 'wouter';
import type { Schemas } from '../api.generated.ts';
import { messagesOf } from '../api.ts';
import { ConfirmDialog } from '../dialog/confirm-dialog.tsx';
import { Field, textIn } from '../field.tsx';
import { ReasonField, reasonIn } from '../write/reason-field.tsx';
import { type ImportProgress, planImport, runImport, type WantedImport } from './import-state.ts';
import { Plan } from './plan.tsx';

const MODES = {
  keep: 'Create what is missing, and leave the rest as it is',
  replace: 'Create what is missing, and replace the rest',
  drop: 'Replace everything: what the document does not have is deleted',
} as const;

export function Import() {
  const [wanted, setWanted] = useState<WantedImport>();
  const [progress, setProgress] = useState<ImportProgress>();
  const planning = useMutation({ mutationFn: (one: WantedImport) => planImport(one, setProgress) });
  const plan = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const file = new FormData(event.currentTarget).get('file');
    if (!(file instanceof File)) return;
    const mode = textIn(event.currentTarget, 'mode');
    const next = { file, isKept: mode === 'keep', isDropped: mode === 'drop' };
    setWanted(next);
    setProgress(undefined);
    planning.mutate(next);
  };
  return (
    <section className="card part form">
      <h2>Import</h2>
      {/* Another document, or another mode, needs another plan. */}
      <form onSubmit={plan} onChange={planning.reset}>
        <Field label="Document" hint="JSON, or YAML with a name that ends with .yaml or .yml.">
          {(ids) => <input {...ids} type="file" name="file" required accept=".json,.yaml,.yml" />}
        </Field>
        <fieldset>
          <legend>What is there already</legend>
          {Object.entries(MODES).map(([mode, name]) => (
            <label key={mode} className="check">
              <input type="radio" name="mode" value={mode} defaultChecked={mode === 'keep'} />
              {name}
            </label>
          ))}
        </fieldset>
        <div className="actions">
          <button type="submit" className="primary" disabled={planning.isPending}>
            {planning.isPending ? 'Checking…' : 'Show the plan'}
          </button>
        </div>
      </form>
      <p role="status">{planning.isPending && <Progress progress={progress} />}</p>
      {planning.error && <Failure error={planning.error} />}
      {planning.data && wanted && <Planned plan={planning.data} wanted={wanted} />}
    </section>
  );
}

function Failure({ error }: { readonly error: Error }) {
  const [first, ...others] = messagesOf(error);
  return (
    <div role="alert" className="error message">
      <p>{first}</p>
      {others.length > 0 && (
        <ul>
          {others.map((message) => (
            <li key={message}>{message}</li>
          ))}
        </ul>
      )}
    </div>
  );
}

const count = new Intl.NumberFormat();
const PHASES = { checking: 'Checking', writing: 'Writing' } as const;

/** Shows nothing until the progress is known. */
function Progress({ progress }: { readonly progress: ImportProgress | undefined }) {
  if (!progress || progress.writes === 0) return null;
  const { phase, done, writes } = progress;
  const text = `${PHASES[phase]}: ${count.format(done)} of ${count.format(writes)} objects`;
  return (
    <>
      <progress aria-label={PHASES[phase]} value={done} max={writes} /> {text}
    </>
  );
}

interface PlannedProps {
  readonly plan: Schemas['StatePlan'];
  readonly wanted: WantedImport;
}

function Planned({ plan, wanted }: PlannedProps) {
  const client = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const [progress, setProgress] = useState<ImportProgress>();
  const importing = useMutation({
    mutationFn: (reason: string | undefined) => runImport({ ...wanted, reason }, setProgress),
    onSettled: () => client.invalidateQueries(),
  });
  const deleted = Object.values(plan.deleted).flat().length;
  const start = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (deleted > 0) setAsking(true);
    else importing.mutate(reasonIn(event.currentTarget));
  };
  return (
    <>
      <Plan plan={plan} />
      {plan.conflicts.length === 0 && !importing.isSuccess && (
        <form onSubmit={start}>
          {deleted === 0 && <ReasonField />}
          <div className="actions">
            <button type="submit" className={deleted > 0 ? 'danger' : 'primary'} disabled={importing.isPending}>
              Import
            </button>
          </div>
        </form>
      )}
      {isAsking && (
        <ConfirmDialog
          question={deleted === 1 ? 'Import, and delete 1 object?' : `Import, and delete ${deleted} objects?`}
          caution="What is deleted is lost with its configuration. Export first, to have a copy."
          action="Import and delete"
          onClose={() => setAsking(false)}
          onConfirm={importing.mutate}
        />
      )}
      <p role="status">
        {importing.isPending && (
          <>
            Importing. Keep this page open: the import stops when it is closed. <Progress progress={progress} />
          </>
        )}
        {importing.isSuccess && (
          <>
            The document is imported. <Link href="/events">See the events</Link>
          </>
        )}
      </p>
      {importing.error && <Failure error={importing.error} />}
    </>
  );
}
