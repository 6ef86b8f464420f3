/** Creates a flag in a project. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import type { Schemas } from '../api.generated.ts';
import { answerOf, api, asManifest } from '../api.ts';
import { featureTypesQuery } from '../editor/form-queries.ts';
import { featurePath } from '../feature-link.tsx';
import { Field, textIn } from '../field.tsx';
import { CreationDialog } from './creation-dialog.tsx';
import { projectQuery } from './project-query.ts';

interface NewFlagProps {
  readonly projectId: string;
  readonly onClose: () => void;
}

type Body = Schemas['CreateFeature'];

const FLAGS = '/api/admin/projects/{projectId}/features';
const NAMES = ['name', 'type', 'description', 'impressionData'];

export function NewFlag({ projectId, onClose }: NewFlagProps) {
  const { data: types = [] } = useQuery(featureTypesQuery);
  const { data: project } = useQuery(projectQuery(projectId));
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const path = { projectId };
  const bodyOf = (form: HTMLFormElement): Body => {
    const [description, chosen] = [textIn(form, 'description'), textIn(form, 'type')];
    const type = types.find(({ id }) => id === chosen)?.id;
    return {
      name: textIn(form, 'name'),
      ...(type !== undefined && { type }),
      ...(description !== '' && { description }),
      ...(new FormData(form).has('impressionData') && { impressionData: true }),
    };
  };
  const open = ({ name }: Body) => {
    navigate(featurePath(projectId, name));
    void client.invalidateQueries({ queryKey: ['project', projectId] });
  };
  return (
    <CreationDialog
      title={`New flag in ${projectId}`}
      names={NAMES}
      bodyOf={bodyOf}
      create={(body) => answerOf(api.POST(FLAGS, { params: { path }, body }))}
      manifestOf={(body) =>
        answerOf(api.POST(FLAGS, { params: { path, query: { dryRun: true } }, body, ...asManifest }))
      }
      onCreated={open}
      onClose={onClose}
    >
      {(problemOf) => (
        <>
          <p>The flag is off in all environments until you add a strategy and switch it on.</p>
          <Field
            label="Name"
            hint={`${patternText(project?.featureNaming)}The name cannot be changed later.`}
            problem={problemOf('name')}
          >
            {(ids) => <input {...ids} name="name" required maxLength={100} autoComplete="off" />}
          </Field>
          <Field label="Type" problem={problemOf('type')}>
            {(ids) => (
              <select {...ids} name="type">
                {types.map(({ id, name }) => (
                  <option key={id} value={id}>
                    {name}
                  </option>
                ))}
              </select>
            )}
          </Field>
          <Field label="Description" problem={problemOf('description')}>
            {(ids) => <textarea {...ids} name="description" rows={3} />}
          </Field>
          <label className="check">
            <input type="checkbox" name="impressionData" />
            Impression data: SDKs emit an event for each evaluation
          </label>
        </>
      )}
    </CreationDialog>
  );
}

function patternText(naming: Schemas['ProjectCounts']['featureNaming'] | undefined): string {
  if (!naming || naming.pattern === null) return '';
  const [words, example] = [naming.description, naming.example];
  return `It must match ${naming.pattern}${words === null ? '' : `: ${words}`}${example === null ? '' : ` (${example})`}. `;
}
