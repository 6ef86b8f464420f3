/** Shows what an import would do. */
import type { Schemas } from '../api.generated.ts';

type PlannedKind = keyof Schemas['StatePlan']['created'];

const STEPS = { created: 'Create', changed: 'Replace', deleted: 'Delete', skipped: 'Leave as it is' } as const;
const KINDS: Readonly<Record<PlannedKind, string>> = {
  environments: 'environments',
  projects: 'projects',
  strategies: 'strategy types',
  segments: 'segments',
  features: 'flags',
};

/** More names make the page slow. */
const MAX_NAMES = 200;

export function Plan({ plan }: { readonly plan: Schemas['StatePlan'] }) {
  const steps = Object.entries(STEPS) as [keyof typeof STEPS, string][];
  const kinds = Object.keys(KINDS) as PlannedKind[];
  const parts = steps.flatMap(([step, action]) =>
    kinds.flatMap((kind) => {
      const names = plan[step][kind];
      return names.length === 0 ? [] : [{ key: `${step} ${kind}`, action, kind, names }];
    }),
  );
  return (
    <section aria-labelledby="plan">
      <h3 id="plan">The plan</h3>
      {parts.length === 0 && <p className="hint">The import would change nothing.</p>}
      {parts.map(({ key, action, kind, names }) => (
        <details key={key} className={action === STEPS.deleted ? 'error' : ''}>
          <summary>
            {action}: {names.length} {KINDS[kind]}
          </summary>
          <p className="message">
            {names.slice(0, MAX_NAMES).join(', ')}
            {names.length > MAX_NAMES && ` and ${names.length - MAX_NAMES} more`}
          </p>
        </details>
      ))}
      {plan.conflicts.length > 0 && <Conflicts conflicts={plan.conflicts} />}
    </section>
  );
}

function Conflicts({ conflicts }: Pick<Schemas['StatePlan'], 'conflicts'>) {
  return (
    <div role="alert">
      <p className="error">The import would be refused, and write nothing:</p>
      <ul className="message">
        {conflicts.map(({ path, message }) => (
          <li key={`${path} ${message}`}>{message}</li>
        ))}
      </ul>
    </div>
  );
}
