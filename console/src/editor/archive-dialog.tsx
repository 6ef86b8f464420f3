/** Asks before a flag is archived, and names the applications that ask for it. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useId } from 'react';
import { type ApiError, api, checked } from '../api.ts';
import { Dialog } from '../dialog/dialog.tsx';
import type { FeaturePlace } from '../feature/place.ts';
import { Loaded } from '../loaded.tsx';
import { statusQuery } from '../queries.ts';
import { SourceChanges } from '../switch/ways.tsx';
import { useNextPage } from '../use-next-page.ts';
import { ReasonField, reasonIn } from '../write/reason-field.tsx';
import { trialOf } from '../write/trial.ts';
import { DRAFT, READ_ONCE } from './draft-query.ts';
import { PATHS } from './flag-paths.ts';
import { sent } from './review/plan.ts';
import { isOwned } from './review/preview.ts';

interface ArchiveDialogProps {
  readonly place: FeaturePlace;
  readonly onClose: () => void;
}

function archive(path: FeaturePlace, how: Parameters<typeof sent>[0]) {
  const { query, with: options } = sent(how);
  return checked(api.DELETE(PATHS.flag, { params: { path, query }, ...options }));
}

export function ArchiveDialog({ place, onClose }: ArchiveDialogProps) {
  const id = useId();
  const trial = useQuery({
    queryKey: [DRAFT, 'archive', id],
    queryFn: () => trialOf(() => archive(place, { dryRun: true })),
    ...READ_ONCE,
  });
  const { data: status } = useQuery(statusQuery(place));
  const goTo = useNextPage();
  const client = useQueryClient();
  const archiving = useMutation({
    mutationFn: (how: Parameters<typeof sent>[0]) => archive(place, how),
    onSuccess: async () => {
      goTo(`/projects/${encodeURIComponent(place.projectId)}`);
      await client.invalidateQueries({ queryKey: ['project', place.projectId] });
    },
  });
  return (
    <Dialog title={`Archive ${place.featureName}?`} onClose={onClose}>
      <Loaded query={trial}>
        {({ warning, refusal }) => (
          <>
            {refusal ? (
              <Refused refusal={refusal} editUrl={status?.editUrl} />
            ) : (
              <p>The flag goes off in every environment. It can be revived.</p>
            )}
            {warning !== undefined && <p className="caution">{warning}.</p>}
            <p role="alert" className="error message">
              {archiving.error?.message}
            </p>
            <form
              onSubmit={(event: FormEvent<HTMLFormElement>) => {
                event.preventDefault();
                archiving.mutate({ ...(refusal && { force: true }), reason: reasonIn(event.currentTarget) });
              }}
            >
              {isPossible(refusal) && <ReasonField />}
              <div className="actions">
                <button type="button" onClick={onClose}>
                  Cancel
                </button>
                {isPossible(refusal) && (
                  <button
                    type="submit"
                    className={refusal || warning !== undefined ? 'danger' : 'primary'}
                    disabled={archiving.isPending}
                  >
                    {refusal ? 'Archive it by force' : 'Archive'}
                  </button>
                )}
              </div>
            </form>
          </>
        )}
      </Loaded>
    </Dialog>
  );
}

/** Whether force helps against a refusal: the project keeps flags in use, or a manager owns the field. */
function isPossible(refusal: ApiError | undefined): boolean {
  return !refusal || isOwned(refusal) || refusal.body?.name === 'FlagInUseError';
}

interface RefusedProps {
  readonly refusal: ApiError;
  readonly editUrl: string | null | undefined;
}

function Refused({ refusal, editUrl }: RefusedProps) {
  return (
    <>
      <p className="error message">{refusal.message}</p>
      <SourceChanges sources={refusal.body?.sources ?? []} editUrl={editUrl} />
    </>
  );
}
