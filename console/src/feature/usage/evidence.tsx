/** Shows whether the use of a flag allows its removal, and what to do. */
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { REASONS } from '../../stale/reasons.ts';
import { dayText } from '../../times.ts';
import type { FeaturePlace } from '../place.ts';
import { findingQuery } from './usage-queries.ts';

export function Evidence({ place }: { readonly place: FeaturePlace }) {
  const { data: finding } = useQuery(findingQuery(place));
  if (!finding) return null;
  const { reason, since, advice, applications, dependents } = finding;
  return (
    <section className="evidence" aria-label="Evidence of staleness">
      <p>
        <strong>{REASONS[reason]}</strong>, since {dayText(since)}. {advice}{' '}
        <Link href="/reports/stale">All stale flags</Link>
      </p>
      {applications.length > 0 && <p>Applications that asked: {applications.join(', ')}</p>}
      {dependents.length > 0 && <p>Flags that depend on it: {dependents.join(', ')}</p>}
    </section>
  );
}
