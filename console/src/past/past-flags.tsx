/** The flags of a project as they were. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import type { Schemas } from '../api.generated.ts';
import { answerOf, api } from '../api.ts';
import { featurePath } from '../feature-link.tsx';
import { TypeMark } from '../icons.tsx';
import { FilterField } from '../list/filter-field.tsx';
import { ShowMore } from '../list/show-more.tsx';
import { Loaded } from '../loaded.tsx';
import { FlagCell } from '../project/flags/flag-cell.tsx';
import { environmentsQuery, UNCHANGING } from '../queries.ts';
import { environmentThen } from './environment-then.ts';
import { type GapSide, type PastTime, withPast } from './past-time.ts';
import { Uncertain, uncertainIn } from './uncertain.tsx';
import { IsPast } from './use-past-time.ts';

const ROWS_AT_ONCE = 100;

const pastFlagsQuery = (projectId: string, past: PastTime) =>
  queryOptions({
    queryKey: ['project', projectId, 'flags-then', past],
    queryFn: async () => {
      const params = { path: { projectId }, query: { include: 'status' as const, ...past } };
      return (await answerOf(api.GET('/api/admin/projects/{projectId}/features', { params }))).features;
    },
    ...UNCHANGING,
  });

interface PastFlagsProps {
  readonly projectId: string;
  readonly past: PastTime;
  readonly onSide: (inGap: GapSide) => void;
}

export function PastFlags({ projectId, past, onSide }: PastFlagsProps) {
  const query = useQuery(pastFlagsQuery(projectId, past));
  const between = uncertainIn(query.error);
  if (between)
    return (
      <Uncertain between={between} what="Something in the project, or what its flags depend on," onChoose={onSide} />
    );
  return (
    <IsPast value>
      <Loaded query={query}>
        {(features) =>
          features.length === 0 ? (
            <p className="empty">The project had no flags then.</p>
          ) : (
            <PastTable {...{ projectId, past, features }} />
          )
        }
      </Loaded>
    </IsPast>
  );
}

interface PastTableProps extends Pick<PastFlagsProps, 'projectId' | 'past'> {
  readonly features: readonly Schemas['FeatureSummary'][];
}

function PastTable({ projectId, past, features }: PastTableProps) {
  const { data: present = [] } = useQuery(environmentsQuery(projectId));
  const [text, setText] = useState('');
  const [limit, setLimit] = useState(ROWS_AT_ONCE);
  const found = features.filter(({ name }) => name.toLowerCase().includes(text.trim().toLowerCase()));
  const named = features.flatMap(({ status }) => status?.environments.map(({ name }) => name) ?? []);
  const environments = [...new Set(named)].map((name) => environmentThen(name, present));
  return (
    <>
      <FilterField value={text} onChange={setText} />
      <p role="status" className="hint count">
        {found.length === 1 ? '1 flag' : `${found.length} flags`}
      </p>
      <table className="flags list" aria-label="Flags as they were">
        <thead>
          <tr>
            <th scope="col">Flag</th>
            {environments.map(({ name, displayName }) => (
              <th key={name} scope="col" className="environment">
                {displayName}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {found.slice(0, limit).map((feature) => (
            <tr key={feature.name}>
              <th scope="row">
                <div className="flag-name">
                  <TypeMark type={feature.type} isShort />
                  <Link href={withPast(featurePath(projectId, feature.name), past)}>{feature.name}</Link>
                  {feature.stale && <span className="mark warning">stale</span>}
                  {feature.description && <span className="hint">{feature.description}</span>}
                </div>
              </th>
              {environments.map((environment) => (
                <td key={environment.name}>
                  <span className="narrow-label">{environment.displayName}</span>
                  <FlagCell {...{ projectId, feature, environment }} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {found.length > limit && <ShowMore onMore={() => setLimit(limit + ROWS_AT_ONCE)} />}
    </>
  );
}
