/** Creates a project. */
import { useQueryClient } from '@tanstack/react-query';
import type { Schemas } from '../api.generated.ts';
import { answerOf, api, asManifest } from '../api.ts';
import { Field, textIn } from '../field.tsx';
import { projectsQuery } from '../queries.ts';
import { useNextPage } from '../use-next-page.ts';
import { because } from '../write/bypass.ts';
import { CreationDialog } from './creation-dialog.tsx';

type Body = Pick<Schemas['CreateProject'], 'id' | 'name' | 'description'>;

const PROJECTS = '/api/admin/projects';

function bodyOf(form: HTMLFormElement): Body {
  const [id, name, description] = [textIn(form, 'id'), textIn(form, 'name'), textIn(form, 'description')];
  return { id, name: name || id, ...(description !== '' && { description }) };
}

export function NewProject({ onClose }: { readonly onClose: () => void }) {
  const client = useQueryClient();
  const goTo = useNextPage();
  const open = ({ id }: Body) => {
    goTo(`/projects/${encodeURIComponent(id)}`);
    void client.invalidateQueries({ queryKey: projectsQuery.queryKey });
    // The user who creates a project gets more permissions in it.
    void client.invalidateQueries({ queryKey: ['permissions'] });
  };
  return (
    <CreationDialog
      title="New project"
      names={['id', 'name', 'description']}
      bodyOf={bodyOf}
      create={(body, reason) => answerOf(api.POST(PROJECTS, { params: { query: because(reason) }, body }))}
      manifestOf={(body) => answerOf(api.POST(PROJECTS, { params: { query: { dryRun: true } }, body, ...asManifest }))}
      onCreated={open}
      onClose={onClose}
    >
      {(problemOf) => (
        <>
          <Field label="Id" hint="It cannot be changed later." problem={problemOf('id')}>
            {(ids) => <input {...ids} name="id" required maxLength={100} autoComplete="off" />}
          </Field>
          <Field label="Name" hint="Empty: the id." problem={problemOf('name')}>
            {(ids) => <input {...ids} name="name" maxLength={200} autoComplete="off" />}
          </Field>
          <Field label="Description" problem={problemOf('description')}>
            {(ids) => <textarea {...ids} name="description" rows={3} maxLength={4096} />}
          </Field>
        </>
      )}
    </CreationDialog>
  );
}
