/** Finds a user, and adds them to a project. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schemas } from '../api.generated.ts';
import { answerOf, api, checked } from '../api.ts';
import { Select } from '../select.tsx';
import { useWrite, type WriteQuery } from '../write/use-write.tsx';

const MAX_FOUND = 8;

interface NewMemberProps {
  readonly projectId: string;
  readonly members: readonly Schemas['ProjectMember'][];
  readonly roles: readonly Schemas['ProjectRole'][];
}

export function NewMember({ projectId, members, roles }: NewMemberProps) {
  const [text, setText] = useState('');
  const [roleId, setRoleId] = useState(roles.find(({ name }) => name === 'Member')?.id ?? roles[0]?.id ?? 0);
  const { data: users = [] } = useQuery({
    queryKey: ['users', text],
    queryFn: async () => {
      const found = await answerOf(api.GET('/api/admin/user-admin/search', { params: { query: { q: text } } }));
      return Array.isArray(found) ? found : found.users;
    },
    enabled: text.trim() !== '',
    placeholderData: keepPreviousData,
  });
  const { write, isPending, problem } = useWrite({
    ...{ what: 'project', canAsk: true },
    send: (userId: number, query: WriteQuery) =>
      checked(
        api.POST('/api/admin/projects/{projectId}/users/{userId}/roles/{roleId}', {
          params: { path: { projectId, userId, roleId }, query },
          parseAs: 'text',
        }),
      ),
  });
  const known = new Set(members.map(({ id }) => id));
  const found = text.trim() === '' ? [] : users.filter(({ id }) => !known.has(id)).slice(0, MAX_FOUND);
  return (
    <section className="card part">
      <h2>Add a member</h2>
      <search className="filter">
        <label>
          User
          <input type="search" value={text} onChange={({ target }) => setText(target.value)} />
        </label>
        <Select
          label="Role"
          of={roles.map(({ id, name }) => [id, name])}
          value={roleId}
          onChange={(id) => setRoleId(Number(id))}
        />
      </search>
      <p role="status" className="hint">
        {text.trim() === '' ? 'Search by name or e-mail address.' : found.length === 0 && 'No other user is found.'}
      </p>
      <ul className="found">
        {found.map(({ id, name, username }) => (
          <li key={id}>
            <button type="button" disabled={isPending} onClick={() => write(id)}>
              Add {name ?? username}
            </button>
          </li>
        ))}
      </ul>
      {problem}
    </section>
  );
}
