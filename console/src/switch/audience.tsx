/** Says for whom a switch would be on. */
import { useQuery } from '@tanstack/react-query';
import { useSegmentNames } from '../feature/segment-names.ts';
import { audienceText } from '../feature/sentences.ts';
import { featureQuery, statusQuery } from '../queries.ts';
import type { SwitchPlace } from './write-switch.ts';

export function Audience({ place }: { readonly place: SwitchPlace }) {
  const { data: flag } = useQuery(featureQuery(place));
  const { data: status } = useQuery(statusQuery(place));
  const nameOfSegment = useSegmentNames();
  const here = flag?.environments.find(({ name }) => name === place.environment);
  const state = status?.environments.find(({ name }) => name === place.environment);
  return <p role="status">{here && state && `For ${audienceText(here.strategies, state.ramps, nameOfSegment)}.`}</p>;
}
