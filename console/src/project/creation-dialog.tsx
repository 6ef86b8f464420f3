/** A form that creates an object, or shows its manifest to commit. */
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useRef } from 'react';
import { refusalOf } from '../api.ts';
import { CopyableText } from '../copyable-text.tsx';
import { Dialog } from '../dialog/dialog.tsx';
import { ReasonField, reasonIn } from '../write/reason-field.tsx';

interface CreationDialogProps<B, R> {
  readonly title: string;
  /** The fields of the body; the value of the first one must be new. */
  readonly names: readonly string[];
  readonly bodyOf: (form: HTMLFormElement) => B;
  readonly create: (body: B, reason: string | undefined) => Promise<R>;
  /** Returns the manifest of the object that the body would create; writes nothing. */
  readonly manifestOf: (body: B) => Promise<string>;
  readonly onCreated: (body: B, answer: R) => void;
  readonly onClose: () => void;
  /** The fields, each with the complaint of the API about its value. */
  readonly children: (problemOf: (name: string) => string | undefined) => ReactNode;
}

export function CreationDialog<B, R>({ title, names, bodyOf, onClose, children, ...does }: CreationDialogProps<B, R>) {
  const form = useRef<HTMLFormElement>(null);
  const trying = useMutation({ mutationFn: does.manifestOf });
  const creating = useMutation({
    mutationFn: ({ body, reason }: CreationInput<B>) => does.create(body, reason),
    onSuccess: (answer, { body }) => does.onCreated(body, answer),
  });
  const create = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    trying.reset();
    creating.mutate({ body: bodyOf(event.currentTarget), reason: reasonIn(event.currentTarget) });
  };
  const show = () => {
    if (!form.current?.reportValidity()) return;
    creating.reset();
    trying.mutate(bodyOf(form.current));
  };
  const { fields, others } = complaintsIn(creating.error ?? trying.error, names);
  return (
    <Dialog title={title} onClose={onClose}>
      <form ref={form} className="form" onSubmit={create} onChange={() => trying.data !== undefined && trying.reset()}>
        {children((name) => fields.get(name))}
        <ReasonField />
        <p role="alert" className="error message">
          {others}
        </p>
        <div className="actions">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="button" disabled={trying.isPending} onClick={show}>
            Show the YAML for Git
          </button>
          <button type="submit" className="primary" disabled={creating.isPending}>
            Create
          </button>
        </div>
      </form>
      {trying.data !== undefined && <CopyableText text={trying.data} label="YAML" />}
    </Dialog>
  );
}

interface CreationInput<B> {
  readonly body: B;
  readonly reason: string | undefined;
}

interface CreationComplaints {
  readonly fields: ReadonlyMap<string, string>;
  /** The complaint that belongs to no field of the form. */
  readonly others: string | undefined;
}

function complaintsIn(error: Error | null, names: readonly string[]): CreationComplaints {
  const body = refusalOf(error);
  const isTaken = body?.name === 'NameExistsError';
  const details = isTaken ? [{ path: `/body/${names[0]}`, message: body.message }] : (body?.details ?? []);
  const placed = details.flatMap(({ path, message }): [string, string][] => {
    const name = names.find((one) => path === `/body/${one}`);
    return name === undefined ? [] : [[name, message]];
  });
  return { fields: new Map(placed), others: placed.length > 0 ? undefined : error?.message };
}
