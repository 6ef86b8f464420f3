/** The actions on a flag as a whole: clone it, archive it. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf, api } from '../api.ts';
import { FormDialog } from '../dialog/form-dialog.tsx';
import type { FeaturePlace } from '../feature/place.ts';
import { featurePath } from '../feature-link.tsx';
import { Field, textIn } from '../field.tsx';
import { useAllowed } from '../use-allowed.ts';
import { useNextPage } from '../use-next-page.ts';
import { because } from '../write/bypass.ts';
import { ReasonField, reasonIn } from '../write/reason-field.tsx';
import { ArchiveDialog } from './archive-dialog.tsx';
import { FLAG_ENDPOINTS, PATHS } from './flag-paths.ts';

export function FeatureActions({ place }: { readonly place: FeaturePlace }) {
  const isAllowed = useAllowed(place.projectId);
  const [open, setOpen] = useState<'clone' | 'archive'>();
  const close = () => setOpen(undefined);
  return (
    <div className="feature-actions">
      {isAllowed(FLAG_ENDPOINTS.clone) && (
        <button type="button" onClick={() => setOpen('clone')}>
          Clone
        </button>
      )}
      {isAllowed(FLAG_ENDPOINTS.archive) && (
        <button type="button" className="danger" onClick={() => setOpen('archive')}>
          Archive
        </button>
      )}
      {open === 'clone' && <CloneDialog place={place} onClose={close} />}
      {open === 'archive' && <ArchiveDialog place={place} onClose={close} />}
    </div>
  );
}

interface FeatureDialogProps {
  readonly place: FeaturePlace;
  readonly onClose: () => void;
}

interface CloneInput {
  readonly name: string;
  readonly reason: string | undefined;
}

function CloneDialog({ place, onClose }: FeatureDialogProps) {
  const goTo = useNextPage();
  const client = useQueryClient();
  const cloning = useMutation({
    mutationFn: ({ name, reason }: CloneInput) =>
      answerOf(api.POST(PATHS.clone, { params: { path: place, query: because(reason) }, body: { name } })),
    onSuccess: async ({ name }) => {
      await client.invalidateQueries({ queryKey: ['project', place.projectId] });
      goTo(featurePath(place.projectId, name));
    },
  });
  return (
    <FormDialog
      title={`Clone ${place.featureName}`}
      action="Clone"
      isDisabled={cloning.isPending}
      onClose={onClose}
      onSubmit={(form) => cloning.mutate({ name: textIn(form, 'name'), reason: reasonIn(form) })}
    >
      <p>The copy has the same strategies and variants, and is off in all environments.</p>
      <Field label="Name of the copy">
        {(ids) => <input {...ids} name="name" required autoComplete="off" defaultValue={`${place.featureName}-copy`} />}
      </Field>
      <ReasonField />
      <p role="alert" className="error message">
        {cloning.error?.message}
      </p>
    </FormDialog>
  );
}
