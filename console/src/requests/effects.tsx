/** What users get before and after the change of a request, read when somebody opens it. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schemas } from '../api.generated.ts';
import { useSegmentNames } from '../feature/segment-names.ts';
import { audienceText, type SegmentNames } from '../feature/sentences.ts';
import { Loaded } from '../loaded.tsx';
import { Options } from '../select.tsx';
import { zonedTimeText } from '../times.ts';
import { effectsQuery } from './requests-query.ts';

interface EffectsProps {
  readonly place: Parameters<typeof effectsQuery>[0];
  readonly isOpenAtFirst: boolean;
}

export function Effects({ place, isOpenAtFirst }: EffectsProps) {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>What users get</summary>
      {isOpen && <OpenEffects place={place} />}
    </details>
  );
}

function OpenEffects({ place }: Pick<EffectsProps, 'place'>) {
  const [at, setAt] = useState('');
  const first = useQuery(effectsQuery(place, ''));
  const query = useQuery(effectsQuery(place, at));
  const nameOfSegment = useSegmentNames();
  const times = first.data?.times ?? [];
  return (
    <>
      {times.length > 0 && (
        <label>
          When{' '}
          <select value={at} onChange={({ target }) => setAt(target.value)}>
            <Options none="when the change is made" of={times.map((time) => [time, zonedTimeText(time)])} />
          </select>
        </label>
      )}
      <Loaded query={query}>
        {({ environments, dependents, segment }) => (
          <>
            {environments.map((one) => (
              <InEnvironment key={one.environment} effects={one} nameOfSegment={nameOfSegment} />
            ))}
            {segment && <OfSegment segment={segment} nameOfSegment={nameOfSegment} />}
            {dependents.length > 0 && (
              <p className="hint">These flags depend on it, and may change too: {dependents.join(', ')}.</p>
            )}
          </>
        )}
      </Loaded>
    </>
  );
}

interface OfSegmentProps {
  readonly segment: NonNullable<Schemas['ChangeRequestEffects']['segment']>;
  readonly nameOfSegment: SegmentNames;
}

function OfSegment({ segment: { usedBy, flags, otherFlags }, nameOfSegment }: OfSegmentProps) {
  const places = flags.flatMap(({ name, environments }) => environments.map((effects) => ({ name, effects })));
  return (
    <>
      <p>{usedBy === 1 ? '1 flag uses' : `${usedBy} flags use`} the segment.</p>
      {places.map(({ name, effects }) => (
        <InEnvironment
          key={`${name} ${effects.environment}`}
          effects={effects}
          flag={name}
          nameOfSegment={nameOfSegment}
        />
      ))}
      {otherFlags.length > 0 && <p className="hint">These flags use it too: {otherFlags.join(', ')}.</p>}
    </>
  );
}

interface InEnvironmentProps {
  readonly effects: Schemas['EnvironmentEffects'];
  /** Absent: the flag of the request. */
  readonly flag?: string;
  readonly nameOfSegment: SegmentNames;
}

function InEnvironment({ effects, flag, nameOfSegment }: InEnvironmentProps) {
  const { environment, before, after, groups, moreGroups, notReached } = effects;
  const onFor = ({ inEffect, strategies }: Schemas['Audience']) =>
    inEffect ? `on for ${audienceText(strategies, [], nameOfSegment)}` : 'off';
  return (
    <>
      <h3>{flag === undefined ? environment : `${flag} in ${environment}`}</h3>
      <p>
        Before: {onFor(before)}. After: <strong>{onFor(after)}</strong>.
      </p>
      {groups.length === 0 && <p className="hint">The users that were tried get the same as before.</p>}
      <ul>
        {groups.map((group) => (
          <li key={JSON.stringify([group.before, group.after])}>
            {whoOf(group, effects)}: {resultText(group.before)} → <strong>{resultText(group.after)}</strong>
            {group.byChance && ', by chance'}
            <div className="hint">{group.after.why}</div>
          </li>
        ))}
      </ul>
      {moreGroups > 0 && <p className="hint">And {moreGroups} more groups of users.</p>}
      {notReached > 0 && (
        <p className="hint">No user that was tried reaches {notReached} of the strategies and variants.</p>
      )}
    </>
  );
}

/** Users of the group: those that were tried. */
function whoOf({ contexts, count }: Schemas['EffectGroup'], { contexts: all }: Schemas['EnvironmentEffects']): string {
  if (count === all) return 'Every user';
  const users = contexts.map(userText).filter((text) => text !== '');
  return users.length === 0 ? 'Other users' : `Users such as ${users.join('; ')}`;
}

function userText(context: Readonly<Record<string, string>>): string {
  return Object.entries(context)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');
}

function resultText({ enabled, variant, strategy }: Schemas['EffectForUsers']): string {
  if (!enabled) return 'off';
  const by = strategy === null ? '' : ` (strategy ${strategy})`;
  const payload = variant === null || variant.payload === null ? '' : ` with ${variant.payload}`;
  return `on${by}${variant === null ? '' : `, variant ${variant.name}${payload}`}`;
}
