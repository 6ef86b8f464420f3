/** The dialog that creates an API token, and then shows its value. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schemas } from '../api.generated.ts';
import { answerOf, api } from '../api.ts';
import { CopyableText } from '../copyable-text.tsx';
import { Dialog } from '../dialog/dialog.tsx';
import { FormDialog } from '../dialog/form-dialog.tsx';
import { Field, textIn } from '../field.tsx';
import { allEnvironmentsQuery } from '../queries.ts';
import { Options } from '../select.tsx';
import { because } from '../write/bypass.ts';
import { ReasonField, reasonIn } from '../write/reason-field.tsx';
import { type CreatableType, PURPOSES } from './token-types.ts';

interface NewTokenProps {
  readonly types: readonly CreatableType[];
  /** Takes the value of the new token. */
  readonly onCreated?: (value: string) => void;
  readonly onClose: () => void;
}

export function NewToken({ types, onCreated, onClose }: NewTokenProps) {
  const client = useQueryClient();
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: ({ body, reason }: TokenInput) =>
      answerOf(api.POST('/api/admin/api-tokens', { params: { query: because(reason) }, body })),
    onSuccess: ({ secret }) => {
      onCreated?.(secret);
      return client.invalidateQueries({ queryKey: ['tokens'] });
    },
    // The cache drops the value of the token when the dialog is closed.
    gcTime: 0,
  });
  if (data) return <Value token={data} onClose={onClose} />;
  return (
    <FormDialog
      title="New token"
      action="Create"
      className="form"
      isDisabled={isPending}
      onClose={onClose}
      onSubmit={(form) => mutate({ body: bodyOf(form), reason: reasonIn(form) })}
    >
      <Fields types={types} />
      <ReasonField />
      {error && (
        <p role="alert" className="error message">
          {error.message}
        </p>
      )}
    </FormDialog>
  );
}

interface TokenInput {
  readonly body: Schemas['CreateApiToken'];
  readonly reason: string | undefined;
}

function bodyOf(form: HTMLFormElement): Schemas['CreateApiToken'] {
  const type = textIn(form, 'type');
  const projects = textIn(form, 'projects')
    .split(/[\s,]+/)
    .filter((id) => id !== '');
  const expires = textIn(form, 'expires');
  return {
    tokenName: textIn(form, 'tokenName'),
    type,
    ...(type !== 'admin' && { environment: textIn(form, 'environment') }),
    ...(type !== 'admin' && projects.length > 0 && { projects }),
    ...(expires !== '' && { expiresAt: new Date(`${expires}T23:59:59`).toISOString() }),
  };
}

function Fields({ types }: Pick<NewTokenProps, 'types'>) {
  const { data: environments = [] } = useQuery(allEnvironmentsQuery);
  const [type, setType] = useState<string>(types[0] ?? 'client');
  return (
    <>
      <Field label="Name" hint="A name for people, never the value.">
        {(ids) => <input {...ids} name="tokenName" required maxLength={100} autoComplete="off" />}
      </Field>
      <Field label="Type">
        {(ids) => (
          <select {...ids} name="type" value={type} onChange={({ target }) => setType(target.value)}>
            <Options of={types.map((one) => [one, PURPOSES[one]])} />
          </select>
        )}
      </Field>
      {type !== 'admin' && (
        <>
          <Field label="Environment">
            {(ids) => (
              <select {...ids} name="environment">
                <Options of={environments.map(({ name, displayName }) => [name, displayName])} />
              </select>
            )}
          </Field>
          <Field label="Projects" hint="Ids with commas between them. Empty: all projects.">
            {(ids) => <input {...ids} name="projects" autoComplete="off" />}
          </Field>
        </>
      )}
      <Field label="Last day" hint="Empty: it does not expire.">
        {(ids) => <input {...ids} name="expires" type="date" />}
      </Field>
    </>
  );
}

interface ValueProps {
  readonly token: Pick<Schemas['ApiToken'], 'tokenName' | 'secret'>;
  readonly onClose: () => void;
}

function Value({ token: { tokenName, secret }, onClose }: ValueProps) {
  return (
    <Dialog title={`${tokenName} is created`} onClose={onClose}>
      <p>Copy the value now: it is not shown again.</p>
      <CopyableText text={secret} label="value" />
      <div className="actions">
        <button type="button" onClick={onClose}>
          Done
        </button>
      </div>
    </Dialog>
  );
}
