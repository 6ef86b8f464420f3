/** The ways that the API offers to change fields that another manager owns. */
import { useMutation } from '@tanstack/react-query';
import type { Schemas } from '../api.generated.ts';
import { CopyableText } from '../copyable-text.tsx';

export type Source = NonNullable<Schemas['Error']['sources']>[number];

interface WaysProps {
  readonly sources: readonly Source[];
  /** Undefined if the user may not hand over, or the API has no hand-over for the fields. */
  readonly handOver: (() => Promise<void>) | undefined;
  readonly onForce: () => void;
}

export function Ways({ sources, handOver, onForce }: WaysProps) {
  return (
    <>
      <SourceChanges sources={sources} />
      {handOver && sources.every(({ operation }) => operation === 'Apply') && <HandOver handOver={handOver} />}
      <section>
        <h3>Force the change</h3>
        <p>The value changes now. The manager may revert the value, or fail with a conflict.</p>
        <button type="button" className="danger" onClick={onForce}>
          Force the change
        </button>
      </section>
    </>
  );
}

export function SourceChanges({ sources }: Pick<WaysProps, 'sources'>) {
  return sources.map(({ manager, yaml }) => (
    <section key={manager}>
      <h3>Change the source</h3>
      <p>Commit this to what {manager} applies:</p>
      {yaml === undefined ? <p>The change is too long to show.</p> : <CopyableText text={yaml} label="YAML" />}
    </section>
  ));
}

export function HandOver({ handOver }: { readonly handOver: () => Promise<void> }) {
  const handing = useMutation({ mutationFn: handOver });
  return (
    <section>
      <h3>Hand the field over</h3>
      <p>Vexil becomes another owner, and no value changes. Then remove the field from Git.</p>
      <button type="button" disabled={handing.isPending} onClick={() => handing.mutate()}>
        Hand over
      </button>
      <p role="status">{handing.isSuccess && 'Vexil is an owner now. Remove the field from Git.'}</p>
      <p role="alert" className="error">
        {handing.error?.message}
      </p>
    </section>
  );
}
