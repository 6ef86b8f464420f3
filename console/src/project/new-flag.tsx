/** Creates a flag in a project. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schemas } from '../api.generated.ts';
import { answerOf, api, asManifest } from '../api.ts';
import { FieldInputs } from '../feature/fields/field-inputs.tsx';
import { bodyOfFields, draftOfFields } from '../feature/fields/fields-draft.ts';
import { flagFields } from '../feature/fields/flag-fields.generated.ts';
import { featurePath } from '../feature-link.tsx';
import { Field, textIn } from '../field.tsx';
import { useNextPage } from '../use-next-page.ts';
import { because } from '../write/bypass.ts';
import { CreationDialog } from './creation-dialog.tsx';
import { projectQuery } from './project-query.ts';
import { type Start, StartFields, start, startsIn, Unstarted, type UnstartedProps } from './start-fields.tsx';

interface NewFlagProps {
  readonly projectId: string;
  readonly onClose: () => void;
}

type Body = Schemas['CreateFeature'];

interface Creation extends Body {
  readonly starts: readonly Start[];
}

const FLAGS = '/api/admin/projects/{projectId}/features';
/** The fields next to which a complaint is shown. */
const NAMES = ['name', ...flagFields.filter(({ kind }) => kind !== 'boolean').map(({ name }) => name)];

export function NewFlag({ projectId, onClose }: NewFlagProps) {
  const { data: project } = useQuery(projectQuery(projectId));
  const client = useQueryClient();
  const goTo = useNextPage();
  const path = { projectId };
  const [fields, setFields] = useState(draftOfFields({ type: 'release' }));
  const [unstarted, setUnstarted] = useState<Omit<UnstartedProps, 'onClose'>>();
  const bodyOf = (form: HTMLFormElement): Creation => {
    const trimmed = Object.entries(fields).map(([name, value]) => [
      name,
      typeof value === 'string' ? value.trim() : value,
    ]);
    const body = bodyOfFields(Object.fromEntries(trimmed));
    const given = Object.entries(body).filter(([, value]) => value !== null && value !== false);
    return { name: textIn(form, 'name'), ...Object.fromEntries(given), starts: startsIn(form) };
  };
  const open = ({ name }: Body) => {
    goTo(featurePath(projectId, name));
    void client.invalidateQueries({ queryKey: ['project', projectId] });
  };
  if (unstarted) return <Unstarted {...unstarted} onClose={() => open({ name: unstarted.name })} />;
  return (
    <CreationDialog
      title={`New flag in ${project?.name ?? projectId}`}
      names={NAMES}
      bodyOf={bodyOf}
      create={async ({ starts, ...body }, reason) => {
        await answerOf(api.POST(FLAGS, { params: { path, query: because(reason) }, body }));
        return start({ projectId, featureName: body.name }, { starts, reason });
      }}
      manifestOf={({ starts: _, ...body }) =>
        answerOf(api.POST(FLAGS, { params: { path, query: { dryRun: true } }, body, ...asManifest }))
      }
      onCreated={(body, failures) => {
        if (failures.length === 0) open(body);
        else setUnstarted({ name: body.name, failures });
      }}
      onClose={onClose}
    >
      {(problemOf) => (
        <>
          <Field
            label="Name"
            hint={`${patternText(project?.featureNaming)}The name cannot be changed later.`}
            problem={problemOf('name')}
          >
            {(ids) => <input {...ids} name="name" required maxLength={100} autoComplete="off" />}
          </Field>
          <FieldInputs draft={fields} onChange={setFields} without={['stale']} problemOf={problemOf} />
          <StartFields projectId={projectId} />
        </>
      )}
    </CreationDialog>
  );
}

function patternText(naming: Schemas['ProjectCounts']['featureNaming'] | undefined): string {
  if (!naming || naming.pattern === null) return '';
  const { pattern, description, example } = naming;
  const words = description === null ? '' : ` ${description.replace(/[.\s]+$/, '')}.`;
  return `It must match ${pattern}${example === null ? '' : `, such as ${example}`}.${words} `;
}
