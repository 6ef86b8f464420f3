/** The managers that own the fields of a flag, with the hand-over of fields that Git owns. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Schemas } from '../api.generated.ts';
import { Table } from '../list/table.tsx';
import { Loaded } from '../loaded.tsx';
import { ownersQuery } from '../queries.ts';
import { HandOverButton } from '../switch/ways.tsx';
import { HAND_OVER_ENDPOINT, handOverFields } from '../switch/write-switch.ts';
import { useAllowed } from '../use-allowed.ts';
import type { FeaturePlace } from './place.ts';

export function Owners({ place }: { readonly place: FeaturePlace }) {
  const query = useQuery(ownersQuery(place));
  const client = useQueryClient();
  const handing = useMutation({
    mutationFn: (path: string) => handOverFields(place, [path]),
    onSuccess: () => client.invalidateQueries({ queryKey: ['project', place.projectId] }),
  });
  return (
    <Loaded query={query}>
      {({ fields, total }) => (
        <>
          {fields.length < total && (
            <p role="status" className="caution">
              The first {fields.length} of {total} fields. The others have no row here: kubectl shows their owners.
            </p>
          )}
          <p role="status">
            {handing.isSuccess && `Vexil is an owner of ${handing.variables} now. Remove the field from Git.`}
          </p>
          <p role="alert" className="error message">
            {handing.error?.message}
          </p>
          <Table
            label="Owners of the fields"
            rows={fields}
            keyOf={({ path }) => path}
            empty="The flag has no fields."
            columns={[
              { name: 'Field', cell: ({ path }) => <code>{path}</code> },
              {
                name: 'Owners',
                cell: (field) => (
                  <>
                    <OwnersOfField field={field} />{' '}
                    {isApplied(field) && (
                      <HandOver
                        {...{ projectId: place.projectId, path: field.path }}
                        isPending={handing.isPending}
                        onHandOver={handing.mutate}
                      />
                    )}
                  </>
                ),
              },
            ]}
          />
        </>
      )}
    </Loaded>
  );
}

interface HandOverProps {
  readonly projectId: string;
  readonly path: string;
  readonly isPending: boolean;
  readonly onHandOver: (path: string) => void;
}

function HandOver({ projectId, path, isPending, onHandOver }: HandOverProps) {
  const isAllowed = useAllowed(projectId, environmentOf(path));
  if (!isAllowed(HAND_OVER_ENDPOINT)) return null;
  return (
    <HandOverButton label={`Hand over ${path}`} what={path} isPending={isPending} onHandOver={() => onHandOver(path)} />
  );
}

/** Finds the environment of a field, because a user may have permissions for one environment only. */
function environmentOf(path: string): string | undefined {
  return /^spec\.environments\.([^.]+)/.exec(path)?.[1];
}

/**
 * Whether the field is protected and its protected owners use server-side apply: any other tool removes a field that it
 * drops, even if others own the field.
 */
function isApplied({ owners, ...field }: Schemas['OwnedField']): boolean {
  return field.protected && owners.every((owner) => !owner.protected || owner.operation === 'Apply');
}

function OwnersOfField({ field: { owners, ...field } }: { readonly field: Schemas['OwnedField'] }) {
  return (
    <>
      {owners.map(({ manager, operation }) => `${manager} (${operation})`).join(', ') || 'none'}
      {field.protected && <span className="mark git">protected</span>}
    </>
  );
}
