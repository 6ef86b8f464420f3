/** A flag in the table of its project. */
import type { Schemas } from '../api.generated.ts';
import { FeatureLink } from '../feature-link.tsx';
import { EnvironmentMarks } from '../freeze-notice.tsx';
import { Problems } from '../problems.tsx';
import { EnvironmentState } from '../switch/environment-state.tsx';

interface FeatureRowProps {
  readonly projectId: string;
  readonly environments: readonly Schemas['ProjectEnvironment'][];
  readonly feature: Schemas['FeatureSummary'];
  readonly isSelected: boolean;
  /** Undefined if the user may not change several flags at once. */
  readonly onSelect: ((name: string, isSelected: boolean) => void) | undefined;
}

export function FeatureRow({ projectId, environments, feature, isSelected, onSelect }: FeatureRowProps) {
  const { name, type, description, stale, status } = feature;
  return (
    <tr>
      <th scope="row">
        {onSelect && (
          <input
            type="checkbox"
            className="select"
            aria-label={`Select ${name}`}
            checked={isSelected}
            onChange={({ target }) => onSelect(name, target.checked)}
          />
        )}
        <FeatureLink project={projectId} name={name} /> <span className="mark">{type}</span>
        {stale && <span className="mark warning">stale</span>}
        {description && <p className="hint">{description}</p>}
        <Problems problems={(status?.problems ?? []).filter(({ severity }) => severity === 'Error')} />
      </th>
      {environments.map((environment) => (
        <td key={environment.name}>
          <span className="narrow-label">
            {environment.displayName} <EnvironmentMarks protected={environment.protected} freeze={environment.freeze} />
          </span>
          <EnvironmentState projectId={projectId} feature={feature} environment={environment} status={status} />
        </td>
      ))}
    </tr>
  );
}
