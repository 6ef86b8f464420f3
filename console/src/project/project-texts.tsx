/** The name, description and stickiness of a project; a change is reviewed before it is saved. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { Schemas } from '../api.generated.ts';
import { answerOf, api } from '../api.ts';
import { Dialog } from '../dialog/dialog.tsx';
import { Field, textIn } from '../field.tsx';
import { ConflictDialog } from '../switch/conflict-dialog.tsx';
import { useAllowed } from '../use-allowed.ts';
import { ReasonField, reasonIn } from '../write/reason-field.tsx';
import { useWrite, type WriteQuery } from '../write/use-write.tsx';
import { projectFrameQuery } from './project-query.ts';

type Texts = Readonly<Record<'name' | 'description' | 'defaultStickiness', string>>;

const LABELS = { name: 'Name', description: 'Description', defaultStickiness: 'Default stickiness' } as const;
const NAMES = ['name', 'description', 'defaultStickiness'] as const satisfies readonly (keyof Texts)[];

interface ProjectTextsProps {
  readonly projectId: string;
  readonly project: Pick<Schemas['ProjectCounts'], keyof Texts>;
}

export function ProjectTexts({ projectId, project }: ProjectTextsProps) {
  const isAllowed = useAllowed(projectId);
  return (
    <section className="card part">
      <h2>About the project</h2>
      {isAllowed('PUT /projects/{projectId}') ? (
        <TextsForm projectId={projectId} project={project} />
      ) : (
        <dl>
          {NAMES.map((name) => (
            <div key={name}>
              <dt>{LABELS[name]}</dt>
              <dd>{project[name] || 'None'}</dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  );
}

type Changes = Pick<Schemas['UpdateProject'], keyof Texts>;

function put(projectId: string, body: Changes, query: WriteQuery & { readonly dryRun?: true }) {
  return answerOf(api.PUT('/api/admin/projects/{projectId}', { params: { path: { projectId }, query }, body }));
}

function TextsForm({ projectId, project }: ProjectTextsProps) {
  const [reviewed, setReviewed] = useState<Texts>();
  const client = useQueryClient();
  const saving = useWrite({
    what: 'project',
    send: (texts: Texts, query: WriteQuery) => put(projectId, changesOf(project, texts), query),
    onDone: () => void client.invalidateQueries({ queryKey: projectFrameQuery(projectId).queryKey }),
  });
  const trying = useMutation({
    mutationFn: (texts: Texts) => put(projectId, changesOf(project, texts), { dryRun: true }),
    onSuccess: (_, texts) => setReviewed(texts),
  });
  const review = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    saving.reset();
    const text = (name: keyof Texts) => textIn(event.currentTarget, name);
    trying.mutate({
      name: text('name'),
      description: text('description'),
      defaultStickiness: text('defaultStickiness'),
    });
  };
  return (
    <>
      <form className="form" onSubmit={review}>
        <Field label={LABELS.name}>
          {(ids) => <input {...ids} name="name" required maxLength={200} defaultValue={project.name} />}
        </Field>
        <Field label={LABELS.description}>
          {(ids) => (
            <textarea {...ids} name="description" rows={3} maxLength={4096} defaultValue={project.description} />
          )}
        </Field>
        <Field
          label={LABELS.defaultStickiness}
          hint="New strategies start with it: default, userId, sessionId or a field."
        >
          {(ids) => (
            <input {...ids} name="defaultStickiness" maxLength={100} defaultValue={project.defaultStickiness} />
          )}
        </Field>
        <div className="actions">
          <button type="submit" className="primary" disabled={trying.isPending}>
            Review
          </button>
        </div>
        <p role="status">{saving.isSuccess && 'Saved.'}</p>
      </form>
      {reviewed && (
        <Review before={project} after={reviewed} onClose={() => setReviewed(undefined)} onSave={saving.write} />
      )}
      {trying.error && trying.variables && (
        <ConflictDialog
          what="project"
          error={trying.error}
          onForce={(reason) => saving.force(trying.variables, reason)}
          onClose={trying.reset}
        />
      )}
      {saving.problem}
    </>
  );
}

/** Leaves out unchanged fields, so that the change does not concern their owners. */
function changesOf(before: Texts, { name, ...texts }: Texts): Changes {
  const { description, defaultStickiness } = texts;
  return {
    name,
    ...(description !== before.description && { description }),
    ...(defaultStickiness !== before.defaultStickiness && { defaultStickiness: defaultStickiness || null }),
  };
}

interface ReviewProps {
  readonly before: Texts;
  readonly after: Texts;
  readonly onClose: () => void;
  readonly onSave: (texts: Texts, reason: string | undefined) => void;
}

function Review({ before, after, onClose, onSave }: ReviewProps) {
  const changed = NAMES.filter((name) => before[name] !== after[name]);
  const save = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const reason = reasonIn(event.currentTarget);
    onClose();
    onSave(after, reason);
  };
  return (
    <Dialog title={changed.length === 0 ? 'Nothing is changed' : 'Save this?'} onClose={onClose}>
      <dl>
        {changed.map((name) => (
          <div key={name}>
            <dt>{LABELS[name]}</dt>
            <dd>
              <del>{before[name] || 'None'}</del> <ins>{after[name] || 'None'}</ins>
            </dd>
          </div>
        ))}
      </dl>
      <form onSubmit={save}>
        {changed.length > 0 && <ReasonField />}
        <div className="actions">
          <button type="button" onClick={onClose}>
            {changed.length === 0 ? 'Close' : 'Cancel'}
          </button>
          {changed.length > 0 && (
            <button type="submit" className="primary">
              Save
            </button>
          )}
        </div>
      </form>
    </Dialog>
  );
}
