/** A flag in the table of its project. */
import type { Schemas } from '../../api.generated.ts';
import { FeatureLink } from '../../feature-link.tsx';
import { EnvironmentMarks } from '../../freeze-notice.tsx';
import { Icon, TypeMark } from '../../icons.tsx';
import { FavouriteButton } from '../../kept/favourite-button.tsx';
import { Problems } from '../../problems.tsx';
import { dayText, sinceText, timeText } from '../../times.ts';
import { FlagCell } from './flag-cell.tsx';

interface FeatureRowProps {
  readonly projectId: string;
  readonly environments: readonly Schemas['ProjectEnvironment'][];
  readonly feature: Schemas['FeatureSummary'];
  readonly isSelected: boolean;
  /** Undefined if the user may not change several flags at once. */
  readonly onSelect: ((name: string, isSelected: boolean) => void) | undefined;
}

export function FeatureRow({ projectId, environments, feature, isSelected, onSelect }: FeatureRowProps) {
  const { name, type, description, stale, status, lastSeenAt } = feature;
  return (
    <tr>
      <th scope="row">
        <div className="flag-name">
          {onSelect && (
            <input
              type="checkbox"
              aria-label={`Select ${name}`}
              checked={isSelected}
              onChange={({ target }) => onSelect(name, target.checked)}
            />
          )}
          <FavouriteButton project={projectId} name={name} />
          <TypeMark type={type} isShort />
          <FeatureLink project={projectId} name={name} />
          {stale && <span className="mark warning">stale</span>}
          {description && (
            <span className="hint" title={description}>
              {description}
            </span>
          )}
        </div>
        <Problems problems={(status?.problems ?? []).filter(({ severity }) => severity === 'Error')} />
      </th>
      {environments.map((environment) => (
        <td key={environment.name}>
          <span className="narrow-label">
            {environment.displayName} <EnvironmentMarks protected={environment.protected} freeze={environment.freeze} />
          </span>
          <FlagCell {...{ projectId, feature, environment }} />
        </td>
      ))}
      <Tags tags={feature.tags} />
      <td className="seen">
        <span className="narrow-label">Last seen</span>
        {lastSeenAt === null ? (
          <span className="hint">never</span>
        ) : (
          <span title={timeText(lastSeenAt)}>{sinceText(lastSeenAt, Date.now()) ?? dayText(lastSeenAt)}</span>
        )}
      </td>
      <Owners status={status} />
    </tr>
  );
}

/** More tags than these are a number. */
const SHOWN_TAGS = 2;

function Tags({ tags }: Pick<Schemas['FeatureSummary'], 'tags'>) {
  const texts = tags.map(({ type, value }) => (type === 'simple' ? value : `${type}:${value}`));
  return (
    <td className="tags" title={texts.join(', ')}>
      {texts.length > 0 && (
        <>
          <span className="narrow-label">Tags</span>
          <span className="cell">
            {texts.slice(0, SHOWN_TAGS).map((text) => (
              <span key={text} className="mark">
                {text}
              </span>
            ))}
            {texts.length > SHOWN_TAGS && (
              <span className="mark">
                +{texts.length - SHOWN_TAGS}
                <span className="unseen">: {texts.slice(SHOWN_TAGS).join(', ')}</span>
              </span>
            )}
          </span>
        </>
      )}
    </td>
  );
}

/** The managers that own a switch of the flag so that the API refuses to change it. */
function Owners({ status }: { readonly status: Schemas['FeatureStatus'] | undefined }) {
  const owners = (status?.environments ?? [])
    .filter(({ switchProtected }) => switchProtected)
    .flatMap(({ switchOwners }) => switchOwners.filter((one) => one.protected).map(({ manager }) => manager));
  const names = [...new Set(owners)].join(', ');
  return (
    <td className="owner" title={names}>
      {names !== '' && (
        <>
          <span className="narrow-label">Owner</span>
          <span className="cell">
            <Icon name="git" />
            {names}
          </span>
        </>
      )}
    </td>
  );
}
