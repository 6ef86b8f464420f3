/** Asks for a name before something is deleted for good. */
import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { DRAFT, READ_ONCE } from '../editor/draft-query.ts';
import { Field } from '../field.tsx';
import { Loaded } from '../loaded.tsx';
import { ReasonField, reasonIn } from '../write/reason-field.tsx';
import type { Trial } from '../write/trial.ts';
import { FormDialog } from './form-dialog.tsx';

interface TypeToConfirmProps {
  readonly title: string;
  readonly caution: string;
  readonly name: string;
  /** A dry run, whose warnings are shown. */
  readonly attempt?: () => Promise<Trial>;
  readonly onClose: () => void;
  /** Takes the reason for the history; undefined if the user gives none. */
  readonly onConfirm: (reason: string | undefined) => void;
}

export function TypeToConfirm({ title, caution, name, attempt, onClose, onConfirm }: TypeToConfirmProps) {
  const [typed, setTyped] = useState('');
  return (
    <FormDialog
      {...{ title, onClose }}
      action="Delete"
      isDanger
      isDisabled={typed !== name}
      onSubmit={(form) => {
        const reason = reasonIn(form);
        onClose();
        onConfirm(reason);
      }}
    >
      <p>{caution}</p>
      {attempt && <Attempt attempt={attempt} />}
      <Field label={`Type ${name} to confirm`}>
        {(ids) => <input {...ids} autoComplete="off" value={typed} onChange={({ target }) => setTyped(target.value)} />}
      </Field>
      <ReasonField />
    </FormDialog>
  );
}

/** Shows the warnings of a dry run, or the reason why the change would be refused. */
function Attempt({ attempt }: { readonly attempt: () => Promise<Trial> }) {
  const trial = useQuery({ queryKey: [DRAFT, 'attempt', useId()], queryFn: attempt, ...READ_ONCE });
  return (
    <Loaded query={trial}>
      {({ warning, refusal }) => {
        const text = refusal?.message ?? warning;
        return text !== undefined && <p className="caution message">{text}</p>;
      }}
    </Loaded>
  );
}
