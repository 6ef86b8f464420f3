/** Shows what one step would change, and whose fields it touches. */
import type { Schemas } from '../../api.generated.ts';
import { CopyableText } from '../../copyable-text.tsx';
import { HandOver, SourceChanges } from '../../switch/ways.tsx';
import { Difference } from './difference-view.tsx';
import { changedPaths, fieldsTouched, type TouchedField } from './fields-touched.ts';
import type { Base, Plan, Preview } from './plan.ts';

interface StepPreviewProps {
  readonly preview: Preview;
  readonly base: Base;
  readonly handOver: Plan['handOver'];
}

export function StepPreview({ preview: { step, after, refusal }, base, handOver }: StepPreviewProps) {
  if (after === undefined) {
    return (
      <>
        <h3>{step.title}</h3>
        <p className="error message" role="alert">
          {refusal?.message}
        </p>
        <Details details={refusal?.body?.details ?? []} />
      </>
    );
  }
  const fields = base.fields && fieldsTouched(changedPaths(base.text, after), base.fields);
  return (
    <>
      <h3>{step.title}</h3>
      <Difference before={base.text} after={after} />
      {fields && <Owners fields={fields} />}
      {refusal ? (
        <>
          {!fields && <OwnedFields details={refusal.body?.details ?? []} />}
          <Conflict
            fields={fields ?? []}
            sources={refusal.body?.sources ?? []}
            editUrl={base.editUrl}
            handOver={handOver}
          />
        </>
      ) : (
        <details>
          <summary>The whole manifest, for Git</summary>
          <CopyableText text={after} label="YAML" />
        </details>
      )}
    </>
  );
}

/** Shows nothing for a single detail, because it says the same as the message. */
function Details({ details }: { readonly details: Schemas['Error']['details'] }) {
  if (details.length < 2) return null;
  return (
    <ul className="problems">
      {details.map(({ path, message }) => (
        <li key={`${path} ${message}`}>{message}</li>
      ))}
    </ul>
  );
}

/** Shows owners from the refusal if the API has no list of owners. Details without a path are advice. */
function OwnedFields({ details }: { readonly details: Schemas['Error']['details'] }) {
  return (
    <ul className="problems" aria-label="Owners of the fields">
      {details.flatMap(({ path, message }) => (path === undefined ? [] : [<li key={path}>{message}</li>]))}
    </ul>
  );
}

function Owners({ fields }: { readonly fields: readonly TouchedField[] }) {
  const owned = fields.filter(({ owners }) => owners.length > 0);
  if (owned.length === 0) return <p className="hint">No manager owns these fields yet. Vexil will own them.</p>;
  return (
    <ul className="owners" aria-label="Owners of the fields">
      {[...Map.groupBy(owned, ownersText)].map(([owners, some]) => (
        <li key={owners}>
          <span className={some.some((field) => field.protected) ? 'mark git' : 'mark'}>{owners}</span>{' '}
          {some.length === 1 ? 'owns' : `owns ${some.length} fields:`}{' '}
          {some.slice(0, MAX_SHOWN).map(({ path }) => (
            <code key={path}>{path}</code>
          ))}
          {some.length > MAX_SHOWN && ` and ${some.length - MAX_SHOWN} more`}
        </li>
      ))}
    </ul>
  );
}

const MAX_SHOWN = 6;

function ownersText({ owners }: TouchedField): string {
  return [...new Set(owners.map(({ manager }) => manager))].join(', ');
}

interface ConflictProps {
  readonly fields: readonly TouchedField[];
  readonly sources: NonNullable<Schemas['Error']['sources']>;
  readonly editUrl: Base['editUrl'] | undefined;
  readonly handOver: Plan['handOver'];
}

function Conflict({ fields, sources, editUrl, handOver }: ConflictProps) {
  const owned = fields.filter((field) => field.protected).map(({ path }) => path);
  const managers = sources.map(({ manager }) => manager).join(', ');
  const isApplied = sources.length > 0 && sources.every(({ operation }) => operation === 'Apply');
  return (
    <div className="conflict">
      <p>
        <strong>{managers || 'Another manager'} owns some of these fields.</strong> The manager would revert a change,
        so the fields cannot be saved without force.
      </p>
      <SourceChanges sources={sources} editUrl={editUrl} />
      {handOver && isApplied && owned.length > 0 && <HandOver handOver={() => handOver(owned)} />}
    </div>
  );
}
