/** Shows the use of a flag from its status, as kubectl does. */
import { useQuery } from '@tanstack/react-query';
import { statusQuery } from '../../queries.ts';
import type { FeaturePlace } from '../place.ts';

export function UsageSentence({ place }: { readonly place: FeaturePlace }) {
  const { data: status } = useQuery(statusQuery(place));
  return status?.usage ? <p className="message">{status.usage.message}</p> : null;
}
