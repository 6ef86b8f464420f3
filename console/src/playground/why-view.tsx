/** Why a flag is on or off, in words. */
import type { Schemas } from '../api.generated.ts';
import { timeText } from '../times.ts';

interface WhyProps {
  readonly isOn: boolean;
  readonly variant: Schemas['Evaluation']['variant'];
  readonly why: Schemas['Why'];
}

export function WhyView({ isOn, variant, why }: WhyProps) {
  const steps = why.strategies.filter(({ text }) => text !== null);
  return (
    <div className={isOn ? 'why on' : 'why'}>
      <p className="message">
        {why.text} {variant.enabled && <span className="mark">variant {variant.name}</span>}
      </p>
      {steps.length > 1 && (
        <ol>
          {steps.map(({ key, name, applies, text }) => (
            <li key={key}>
              {name} {applies ? 'applies' : 'does not apply'}: {text}
            </li>
          ))}
        </ol>
      )}
      {why.fields !== null && why.fields.length > 0 && <Origins fields={why.fields} />}
    </div>
  );
}

function Origins({ fields }: { readonly fields: readonly Schemas['FieldOrigin'][] }) {
  return (
    <details>
      <summary>The fields that decided</summary>
      <ul className="owners">
        {fields.map(({ kind, name, path, owner, lastChange }) => (
          <li key={`${kind} ${name} ${path}`}>
            <code>
              {kind === 'Segment' && `segment ${name}: `}
              {path}
            </code>{' '}
            {owner && <span className="mark">{owner.manager}</span>}{' '}
            {lastChange && (
              <span className="hint">
                changed by {lastChange.by}, {timeText(lastChange.at)}
              </span>
            )}
          </li>
        ))}
      </ul>
    </details>
  );
}
