/** The members of a project with their roles. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schemas } from '../api.generated.ts';
import { answerOf, api, asManifest, checked } from '../api.ts';
import { CopyableText } from '../copyable-text.tsx';
import { ConfirmDialog } from '../dialog/confirm-dialog.tsx';
import { Table } from '../list/table.tsx';
import { Loaded } from '../loaded.tsx';
import { Options } from '../select.tsx';
import { useAllowed } from '../use-allowed.ts';
import { StoredManifest } from '../write/stored-manifest.tsx';
import { useWrite, type WriteQuery } from '../write/use-write.tsx';
import { NewMember } from './new-member.tsx';
import { ProjectFrame } from './project-frame.tsx';

const ACCESS = '/api/admin/projects/{projectId}/access';

const accessQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['project', projectId, 'access'],
    queryFn: () => answerOf(api.GET(ACCESS, { params: { path: { projectId } } })),
  });

export function AccessPage({ projectId }: { readonly projectId: string }) {
  const query = useQuery(accessQuery(projectId));
  const isAllowed = useAllowed(projectId);
  return (
    <ProjectFrame projectId={projectId}>
      <Loaded query={query}>
        {({ users, roles }) => (
          <>
            <Members projectId={projectId} users={users} roles={roles} />
            {isAllowed(`POST ${MEMBER}`) && <NewMember projectId={projectId} members={users} roles={roles} />}
          </>
        )}
      </Loaded>
      <Manifests projectId={projectId} />
    </ProjectFrame>
  );
}

const MEMBER = '/projects/{projectId}/users/{userId}/roles/{roleId}';

interface MembersProps {
  readonly projectId: string;
  readonly users: readonly Schemas['ProjectMember'][];
  readonly roles: readonly Schemas['ProjectRole'][];
}

function Members({ projectId, users, roles }: MembersProps) {
  return (
    <Table
      label="Members"
      rows={users}
      keyOf={({ id }) => id}
      empty="The project has no members. Admins and Editors may change it in any case."
      columns={[
        { name: 'Member', cell: (member) => <Name member={member} /> },
        { name: 'Role', cell: (member) => <Membership projectId={projectId} member={member} roles={roles} /> },
      ]}
    />
  );
}

function Name({ member: { name, username, email, accountType } }: { readonly member: Schemas['ProjectMember'] }) {
  return (
    <>
      {name ?? username} {name !== undefined && <span className="hint">{username} </span>}
      {accountType === 'Service Account' && <span className="mark">service account</span>}
      {email !== undefined && email !== username && <p className="hint">{email}</p>}
    </>
  );
}

interface MembershipProps {
  readonly projectId: string;
  readonly member: Schemas['ProjectMember'];
  readonly roles: readonly Schemas['ProjectRole'][];
}

function Membership({ projectId, member: { id: userId, username, roleId }, roles }: MembershipProps) {
  const isAllowed = useAllowed(projectId);
  const [isAsking, setAsking] = useState(false);
  const { write, isPending, problem } = useWrite({
    ...{ what: 'project', canAsk: true },
    send: (wanted: number | undefined, query: WriteQuery) => {
      const path = { projectId, userId, roleId: wanted ?? roleId };
      const options = { params: { path, query }, parseAs: 'text' as const };
      return checked(
        wanted === undefined ? api.DELETE(`/api/admin${MEMBER}`, options) : api.PUT(`/api/admin${MEMBER}`, options),
      );
    },
  });
  const roleName = roles.find(({ id }) => id === roleId)?.name ?? `${roleId}`;
  return (
    <span className="buttons">
      {isAllowed(`PUT ${MEMBER}`) ? (
        <select
          aria-label={`Role of ${username}`}
          value={roleId}
          disabled={isPending}
          onChange={({ target }) => write(Number(target.value))}
        >
          <Options of={roles.map(({ id, name }) => [id, name])} />
        </select>
      ) : (
        roleName
      )}
      {isAllowed(`DELETE ${MEMBER}`) && (
        <button type="button" disabled={isPending} aria-label={`Remove ${username}`} onClick={() => setAsking(true)}>
          Remove
        </button>
      )}
      {isAsking && (
        <ConfirmDialog
          question={`Remove ${username} from ${projectId}?`}
          caution="Permissions that the user has through other roles stay."
          action="Remove"
          onClose={() => setAsking(false)}
          onConfirm={(reason) => write(undefined, reason)}
        />
      )}
      {problem}
    </span>
  );
}

const USER = `apiVersion: vexil.dev/v1beta1
kind: FlagUser
metadata:
  name: ada
spec:
  displayName: Ada Lovelace
  email: ada@example.com
  rootRole: Viewer`;

const ROLE = `apiVersion: vexil.dev/v1beta1
kind: FlagRole
metadata:
  name: releaser
spec:
  description: May switch flags in production
  permissions:
  - name: UPDATE_FEATURE_ENVIRONMENT
    environment: production`;

function Manifests({ projectId }: { readonly projectId: string }) {
  const isAllowed = useAllowed(projectId);
  const params = { path: { projectId } };
  return (
    <section className="part">
      <p>
        Users and roles are objects in the namespace of Vexil. Commit the changed manifest of one, or apply it with
        kubectl.
      </p>
      {isAllowed('GET /user-admin') && (
        <StoredManifest
          of="the members and roles"
          queryKey={['project', projectId, 'access', 'manifest']}
          read={() => api.GET(ACCESS, { params, ...asManifest })}
        />
      )}
      <details>
        <summary>Examples of a user and a role</summary>
        <h3>A user</h3>
        <CopyableText label="Example of a user" text={USER} />
        <h3>A role for members</h3>
        <CopyableText label="Example of a role" text={ROLE} />
      </details>
    </section>
  );
}
