/** Shows how a flag differs between two environments; reads it when the part is opened. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schemas } from '../api.generated.ts';
import { CopyLink } from '../feature/copy-link.tsx';
import type { FeaturePlace } from '../feature/place.ts';
import { useSegmentNames } from '../feature/segment-names.ts';
import { type SegmentNames, strategySentence, variantText } from '../feature/sentences.ts';
import { Loaded } from '../loaded.tsx';
import { featureQuery } from '../queries.ts';
import { zonedTimeText } from '../times.ts';

type NamedEnvironment = Pick<Schemas['Environment'], 'name' | 'displayName'>;

interface FlagDifferenceProps {
  readonly place: FeaturePlace;
  readonly one: NamedEnvironment;
  readonly other: NamedEnvironment;
  readonly isOpenAtFirst: boolean;
}

export function FlagDifference({ place, one, other, isOpenAtFirst }: FlagDifferenceProps) {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  return (
    <details className="difference" open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>What differs</summary>
      {isOpen && <Lines {...{ place, one, other }} />}
    </details>
  );
}

function Lines({ place, one, other }: Omit<FlagDifferenceProps, 'isOpenAtFirst'>) {
  const query = useQuery(featureQuery(place));
  const nameOfSegment = useSegmentNames();
  return (
    <Loaded query={query}>
      {({ environments }) => {
        const linesIn = ({ name }: NamedEnvironment) =>
          linesOf(
            environments.find((environment) => environment.name === name),
            nameOfSegment,
          );
        const [these, those] = [linesIn(one), linesIn(other)];
        return (
          <>
            <div className="sides">
              <Side of={one.displayName} lines={these.filter((line) => !those.includes(line))} />
              <Side of={other.displayName} lines={those.filter((line) => !these.includes(line))} />
            </div>
            <p className="buttons">
              <CopyLink
                place={{ ...place, environment: other.name }}
                from={one.name}
                text={`Copy ${one.displayName} to ${other.displayName}`}
              />
              <CopyLink
                place={{ ...place, environment: one.name }}
                from={other.name}
                text={`Copy ${other.displayName} to ${one.displayName}`}
              />
            </p>
          </>
        );
      }}
    </Loaded>
  );
}

/** Numbers the strategies, because their order counts. */
function linesOf(here: Schemas['FeatureEnvironment'] | undefined, nameOfSegment: SegmentNames): readonly string[] {
  if (!here) return [];
  const { strategies, variants = [], activeFrom, activeUntil } = here;
  return [
    `Switch: ${here.enabled ? 'on' : 'off'}`,
    ...(activeFrom === undefined ? [] : [`Active from ${zonedTimeText(activeFrom)}`]),
    ...(activeUntil === undefined ? [] : [`Active until ${zonedTimeText(activeUntil)}`]),
    ...(strategies.length === 0 ? ['No strategies'] : []),
    ...strategies.map((one, index) => `Strategy ${index + 1}: ${strategySentence(one, nameOfSegment)}${rampOf(one)}`),
    ...variants.map((one) => `Variant ${variantText(one)}`),
  ];
}

function rampOf({ ramp }: Schemas['Strategy']): string {
  const steps = ramp?.steps?.map(({ rollout, for: time }) => `${rollout} %${time === undefined ? '' : ` for ${time}`}`);
  return steps ? ` Then by ramp: ${steps.join(', ')}.` : '';
}

function Side({ of, lines }: { readonly of: string; readonly lines: readonly string[] }) {
  return (
    <div>
      <h3>{of}</h3>
      <ul>{lines.length === 0 ? <li>Nothing more.</li> : lines.map((line) => <li key={line}>{line}</li>)}</ul>
    </div>
  );
}
