/** Comments on a change request, which decides nothing. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { Field, textIn } from '../field.tsx';
import { type ChangeRequest, commentOn } from './requests-query.ts';
import { useIsUser } from './use-is-user.ts';

const TEXT = 'comment';

export function CommentForm({ request }: { readonly request: ChangeRequest }) {
  const client = useQueryClient();
  const commenting = useMutation({
    mutationFn: (text: string) => commentOn(request, text),
    // Not awaited: the form is empty before the comment appears.
    onSettled: () => void client.invalidateQueries({ queryKey: ['change-requests'] }),
  });
  const isUser = useIsUser();
  if (!isUser) return null;
  const comment = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const text = textIn(form, TEXT);
    if (text !== '') commenting.mutate(text, { onSuccess: () => form.reset() });
  };
  return (
    <form onSubmit={comment}>
      <Field label="Comment" hint="A comment decides nothing." problem={commenting.error?.message}>
        {(ids) => <textarea {...ids} name={TEXT} rows={2} maxLength={1000} required />}
      </Field>
      <div className="actions">
        <button type="submit" disabled={commenting.isPending}>
          Comment
        </button>
      </div>
    </form>
  );
}
