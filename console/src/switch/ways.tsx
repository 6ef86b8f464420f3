/** The ways that the API offers to change fields that another manager owns. */
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import type { Schemas } from '../api.generated.ts';
import { CopyableText } from '../copyable-text.tsx';
import { ConfirmDialog } from '../dialog/confirm-dialog.tsx';
import { Difference } from '../editor/review/difference-view.tsx';
import { ReasonField, reasonIn } from '../write/reason-field.tsx';
import { EditInGit, repositoryOf } from './edit-in-git.tsx';

export type Source = NonNullable<Schemas['Error']['sources']>[number];

interface WaysProps {
  readonly sources: readonly Source[];
  /** Where the manifest is changed in Git; null or absent: not known. */
  readonly editUrl?: string | null | undefined;
  /** Undefined if the user may not hand over, or the API has no hand-over for the fields. */
  readonly handOver: (() => Promise<void>) | undefined;
  /** The reason that the user gave for the change. */
  readonly given: string | undefined;
  /** What a user should know before the change is forced. */
  readonly forced?: ReactNode;
  readonly onForce: (reason: string | undefined) => void;
}

export function Ways({ sources, editUrl, handOver, given, forced, onForce }: WaysProps) {
  const force = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    onForce(reasonIn(event.currentTarget));
  };
  return (
    <div className="ways">
      <SourceChanges sources={sources} editUrl={editUrl} />
      {handOver && sources.every(({ operation }) => operation === 'Apply') && <HandOver handOver={handOver} />}
      <section>
        <h3>Force the change</h3>
        <p>The value changes now. The manager may revert the value, or fail with a conflict.</p>
        {forced}
        <form onSubmit={force}>
          <ReasonField given={given} />
          <button type="submit" className="danger">
            Force the change
          </button>
        </form>
      </section>
    </div>
  );
}

export function SourceChanges({ sources, editUrl }: Pick<WaysProps, 'sources' | 'editUrl'>) {
  return sources.map((source, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: one manager may own several flags.
    <section key={index}>
      <h3>Change the source</h3>
      <SourceChange source={source} editUrl={editUrl} />
    </section>
  ));
}

interface SourceChangeProps extends Pick<WaysProps, 'editUrl'> {
  readonly source: Source;
}

function SourceChange({ source: { manager, appliedFrom, yaml, present }, editUrl }: SourceChangeProps) {
  return (
    <>
      <p>
        Commit this to what {manager} applies{appliedFrom !== undefined && `, the ${appliedFrom}`}
        {editUrl && `, from ${repositoryOf(editUrl)}`}:
      </p>
      {yaml === undefined ? (
        <p>The change is too long to show.</p>
      ) : (
        <>
          {present !== undefined && <Difference before={present} after={yaml} label="Change for Git" />}
          <details>
            <summary>The whole YAML</summary>
            <CopyableText text={yaml} label="YAML" />
          </details>
          {editUrl && <EditInGit url={editUrl} />}
        </>
      )}
    </>
  );
}

/** What a hand-over does, and what undoes it. */
const HAND_OVER =
  'Vexil becomes another owner, and no value changes. Then remove the field from Git, and people change it here. To take it back, commit the field to Git again, with the value that it then has.';

export function HandOver({ handOver }: { readonly handOver: () => Promise<void> }) {
  const handing = useMutation({ mutationFn: handOver });
  return (
    <section>
      <h3>Hand the field over</h3>
      <p>{HAND_OVER}</p>
      <HandOverButton label="Hand over" what="the field" isPending={handing.isPending} onHandOver={handing.mutate} />
      <p role="status">{handing.isSuccess && 'Vexil is an owner now. Remove the field from Git.'}</p>
      <p role="alert" className="error">
        {handing.error?.message}
      </p>
    </section>
  );
}

interface HandOverButtonProps {
  /** The accessible name of the button. */
  readonly label: string;
  readonly what: string;
  readonly isPending: boolean;
  readonly onHandOver: () => void;
}

export function HandOverButton({ label, what, isPending, onHandOver }: HandOverButtonProps) {
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <button type="button" aria-label={label} disabled={isPending} onClick={() => setAsking(true)}>
        Hand over
      </button>
      {isAsking && (
        <ConfirmDialog
          question={`Hand ${what} over?`}
          caution={HAND_OVER}
          action="Hand over"
          takesReason={false}
          onClose={() => setAsking(false)}
          onConfirm={onHandOver}
        />
      )}
    </>
  );
}
