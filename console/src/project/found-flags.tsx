/** The flags of all projects that a search finds. */
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { answerOf, api } from '../api.ts';
import { FeatureLink } from '../feature-link.tsx';
import { PAGE_SIZE } from '../list/page-range.ts';
import { Pager } from '../list/pager.tsx';
import { Table } from '../list/table.tsx';
import { Loaded } from '../loaded.tsx';

interface FoundFlagsProps {
  readonly text: string;
  readonly offset: number;
  readonly onMove: (offset: number) => void;
}

const foundQuery = (text: string, offset: number) =>
  queryOptions({
    queryKey: ['found', text, offset],
    queryFn: ({ signal }) => {
      const page = { sortBy: 'name', offset: `${offset}`, limit: `${PAGE_SIZE}` };
      const params = { query: { query: text, descriptions: true, ...page } };
      return answerOf(api.GET('/api/admin/search/features', { params, signal }));
    },
    placeholderData: keepPreviousData,
  });

export function FoundFlags({ text, offset, onMove }: FoundFlagsProps) {
  const query = useQuery(foundQuery(text, offset));
  return (
    <section className="above">
      <h2>Flags</h2>
      <Loaded query={query}>
        {({ features, total }) => (
          <>
            <Pager offset={offset} total={total} of="Flags" onMove={onMove} />
            <Table
              label="Flags"
              rows={features}
              keyOf={({ name }) => name}
              empty="No flag is found."
              columns={[
                { name: 'Flag', cell: ({ project, name }) => <FeatureLink project={project} name={name} /> },
                { name: 'Project', cell: ({ project }) => project },
                { name: 'Type', cell: ({ type }) => type },
                { name: 'Description', cell: ({ description }) => description ?? '' },
              ]}
            />
          </>
        )}
      </Loaded>
    </section>
  );
}
