/** Creates a segment, or changes one and with it every flag that uses it. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { Schemas } from '../api.generated.ts';
import { answerOf, api } from '../api.ts';
import { useKeptDraft } from '../editor/draft/use-kept-draft.ts';
import { DRAFT, READ_ONCE } from '../editor/draft-query.ts';
import { ConstraintList } from '../editor/form/constraint-list.tsx';
import { segmentsQuery } from '../editor/form-queries.ts';
import { ReviewedForm } from '../editor/reviewed-form.tsx';
import { Loaded } from '../loaded.tsx';
import { Page } from '../page.tsx';
import { projectsQuery } from '../queries.ts';
import { Select } from '../select.tsx';
import { useNextPage } from '../use-next-page.ts';
import {
  changePlan,
  creationPlan,
  draftOfSegment,
  NEW_SEGMENT,
  type SegmentDraft,
  segmentProblem,
} from './segment-draft.ts';
import { SEGMENT } from './segment-paths.ts';
import '../style/editor.css';

export function NewSegmentPage() {
  return (
    <Page title="New segment">
      <SegmentEditor stored={undefined} />
    </Page>
  );
}

export function SegmentPage({ segmentId }: { readonly segmentId: number }) {
  const query = useQuery({
    queryKey: [DRAFT, 'segment', segmentId],
    queryFn: () => answerOf(api.GET(SEGMENT, { params: { path: { segmentId } } })),
    ...READ_ONCE,
  });
  return (
    <Page title={query.data?.name ?? 'Segment'}>
      <Loaded query={query}>
        {(segment) => (
          <>
            <p>
              {segment.usedInFeatures === 1 ? '1 flag uses' : `${segment.usedInFeatures} flags use`} it: a change
              reaches all of them.
            </p>
            <SegmentEditor stored={segment} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function SegmentEditor({ stored }: { readonly stored: Schemas['Segment'] | undefined }) {
  const { before, draft, ...kept } = useKeptDraft(`segment ${stored?.id ?? ''}`, () =>
    stored ? draftOfSegment(stored) : NEW_SEGMENT,
  );
  const client = useQueryClient();
  const goTo = useNextPage();
  const plan = stored ? changePlan(stored.id, before, draft) : creationPlan(draft);
  const leave = async () => {
    goTo('/segments');
    await client.invalidateQueries({ queryKey: segmentsQuery.queryKey });
  };
  return (
    <>
      <p>
        <Link href="/segments">All segments</Link>
      </p>
      <ReviewedForm
        plan={plan}
        problem={segmentProblem(draft)}
        onDiscard={kept.discard}
        onSaved={() => {
          kept.forget();
          void leave();
        }}
      >
        <SegmentFields draft={draft} isNew={!stored} onChange={kept.change} />
      </ReviewedForm>
    </>
  );
}

interface SegmentFieldsProps {
  readonly draft: SegmentDraft;
  readonly isNew: boolean;
  readonly onChange: (draft: SegmentDraft) => void;
}

function SegmentFields({ draft, isNew, onChange }: SegmentFieldsProps) {
  const { data: projects = [] } = useQuery(projectsQuery);
  const names = [...new Set([...projects.map(({ id }) => id), draft.project])].filter((id) => id !== '');
  return (
    <>
      <section>
        <h2>Segment</h2>
        <div className="row">
          {isNew && (
            <label>
              Name
              <input
                value={draft.name}
                autoComplete="off"
                onChange={({ target }) => onChange({ ...draft, name: target.value })}
              />
            </label>
          )}
          <Select
            label="For"
            none="all projects"
            of={names.map((id) => [id, `the project ${id}`])}
            value={draft.project}
            onChange={(project) => onChange({ ...draft, project })}
          />
        </div>
        <label>
          Description
          <textarea
            rows={2}
            value={draft.description}
            onChange={({ target }) => onChange({ ...draft, description: target.value })}
          />
        </label>
      </section>
      <section>
        <h2>Constraints</h2>
        <p className="hint">A user is in the segment if all of them hold.</p>
        <ConstraintList
          constraints={draft.constraints}
          onChange={(constraints) => onChange({ ...draft, constraints })}
        />
      </section>
    </>
  );
}
