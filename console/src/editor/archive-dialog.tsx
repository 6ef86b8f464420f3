/** Asks before a flag is archived, and names the applications that ask for it. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useId } from 'react';
import { useLocation } from 'wouter';
import { ApiError, api, checked } from '../api.ts';
import type { FeaturePlace } from '../feature/place.ts';
import { Loaded } from '../loaded.tsx';
import { Dialog } from '../dialog/dialog.tsx';
import { SourceChanges } from '../switch/ways.tsx';
import { DRAFT, READ_ONCE } from './draft-query.ts';
import { PATHS } from './flag-paths.ts';
import { sent } from './review/plan.ts';
import { isOwned } from './review/preview.ts';

interface ArchiveDialogProps {
  readonly place: FeaturePlace;
  readonly onClose: () => void;
}

interface Trial {
  /** What Vexil warns of. */
  readonly warning: string | undefined;
  readonly refusal: ApiError | undefined;
}

function archive(path: FeaturePlace, how: Parameters<typeof sent>[0]) {
  const { query, with: options } = sent(how);
  return checked(api.DELETE(PATHS.flag, { params: { path, query }, ...options }));
}

/** Archives it as if. */
async function tryArchive(place: FeaturePlace): Promise<Trial> {
  try {
    const { response } = await archive(place, { dryRun: true });
    return { warning: textOfWarning(response.headers.get('Warning')), refusal: undefined };
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error;
    return { warning: undefined, refusal: error };
  }
}

/** Without the code and the quotes. Names in it are percent-encoded. */
function textOfWarning(header: string | null): string | undefined {
  const [, text] = /^299 \S+ "(.*)"$/.exec(header ?? '') ?? [];
  if (text === undefined) return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function ArchiveDialog({ place, onClose }: ArchiveDialogProps) {
  const id = useId();
  const trial = useQuery({ queryKey: [DRAFT, 'archive', id], queryFn: () => tryArchive(place), ...READ_ONCE });
  const [, navigate] = useLocation();
  const client = useQueryClient();
  const archiving = useMutation({
    mutationFn: (isForced: boolean) => archive(place, isForced ? { force: true } : {}),
    onSuccess: async () => {
      navigate(`/projects/${encodeURIComponent(place.projectId)}`);
      await client.invalidateQueries({ queryKey: ['project', place.projectId] });
    },
  });
  return (
    <Dialog title={`Archive ${place.featureName}?`} onClose={onClose}>
      <Loaded query={trial}>
        {({ warning, refusal }) => (
          <>
            {refusal ? (
              <Refused refusal={refusal} />
            ) : (
              <p>The flag goes off in every environment. It can be revived.</p>
            )}
            {warning !== undefined && <p className="caution">{warning}.</p>}
            <p role="alert" className="error message">
              {archiving.error?.message}
            </p>
            <div className="actions">
              <button type="button" onClick={onClose}>
                Cancel
              </button>
              {(!refusal || isForcible(refusal)) && (
                <button
                  type="button"
                  className={refusal || warning !== undefined ? 'danger' : 'primary'}
                  disabled={archiving.isPending}
                  onClick={() => archiving.mutate(refusal !== undefined)}
                >
                  {refusal ? 'Archive it by force' : 'Archive'}
                </button>
              )}
            </div>
          </>
        )}
      </Loaded>
    </Dialog>
  );
}

/** The project refuses removals of flags in use, or a manager owns the field. */
function isForcible(refusal: ApiError): boolean {
  return isOwned(refusal) || refusal.body?.name === 'FlagInUseError';
}

function Refused({ refusal }: { readonly refusal: ApiError }) {
  return (
    <>
      <p className="error message">{refusal.message}</p>
      <SourceChanges sources={refusal.body?.sources ?? []} />
    </>
  );
}
