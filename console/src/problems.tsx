/** Shows the problems of a flag as sentences. */
import type { Schemas } from './api.generated.ts';

export function Problems({ problems }: { readonly problems: readonly Schemas['FeatureProblem'][] }) {
  if (problems.length === 0) return null;
  return (
    <ul className="problems">
      {problems.map(({ path, reason, message, severity }) => (
        <li key={`${path} ${reason} ${message}`} className={severity === 'Error' ? 'error' : 'hint'}>
          {message}
        </li>
      ))}
    </ul>
  );
}
