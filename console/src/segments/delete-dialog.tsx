/** Asks before a segment is deleted, and shows where it is used. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Schemas } from '../api.generated.ts';
import { answerOf, api, checked } from '../api.ts';
import { FormDialog } from '../dialog/form-dialog.tsx';
import { segmentsQuery } from '../editor/form-queries.ts';
import { FeatureLink } from '../feature-link.tsx';
import { Loaded } from '../loaded.tsx';
import { because } from '../write/bypass.ts';
import { ReasonField, reasonIn } from '../write/reason-field.tsx';
import { SEGMENT } from './segment-paths.ts';

interface DeleteDialogProps {
  readonly segment: Schemas['Segment'];
  readonly onClose: () => void;
}

export function DeleteDialog({ segment: { id, name }, onClose }: DeleteDialogProps) {
  const client = useQueryClient();
  const params = { path: { segmentId: id } };
  const users = useQuery({
    queryKey: ['projects', 'segments', id, 'users'],
    queryFn: async () => (await answerOf(api.GET('/api/admin/segments/{segmentId}/strategies', { params }))).strategies,
  });
  const removing = useMutation({
    mutationFn: (reason: string | undefined) =>
      checked(api.DELETE(SEGMENT, { params: { ...params, query: because(reason) } })),
    onSuccess: async () => {
      onClose();
      await client.invalidateQueries({ queryKey: segmentsQuery.queryKey });
    },
  });
  return (
    <FormDialog
      title={`Delete the segment ${name}?`}
      action="Delete"
      isDanger
      isDisabled={removing.isPending}
      onClose={onClose}
      onSubmit={(form) => removing.mutate(reasonIn(form))}
    >
      <Loaded query={users}>{(strategies) => <Users strategies={strategies} />}</Loaded>
      <ReasonField />
      <p role="alert" className="error message">
        {removing.error?.message}
      </p>
    </FormDialog>
  );
}

const MAX_SHOWN = 50;

function Users({ strategies }: Schemas['SegmentStrategies']) {
  if (strategies.length === 0) return <p>No flag that you may read uses it.</p>;
  return (
    <>
      <p>These strategies use it. Vexil deletes a segment only when no flag uses it:</p>
      <ul className="users">
        {strategies.slice(0, MAX_SHOWN).map(({ id, featureName, projectId, environment, strategyName }) => (
          <li key={id}>
            <FeatureLink project={projectId} name={featureName} /> in {environment} ({strategyName})
          </li>
        ))}
      </ul>
      {strategies.length > MAX_SHOWN && <p>and {strategies.length - MAX_SHOWN} more.</p>}
    </>
  );
}
