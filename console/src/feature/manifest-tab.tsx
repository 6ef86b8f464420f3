/** The flag as YAML for Git: all of it, or the fields of one side. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useSearchParams } from 'wouter';
import { answerOf, api, asManifest } from '../api.ts';
import { CopyableText } from '../copyable-text.tsx';
import { PATHS } from '../editor/flag-paths.ts';
import { Loaded } from '../loaded.tsx';
import { featureKey, statusQuery } from '../queries.ts';
import { Select } from '../select.tsx';
import { EditInGit } from '../switch/edit-in-git.tsx';
import type { FeaturePlace } from './place.ts';

const OWNED = { all: 'all fields', git: 'the fields that Git owns', people: 'the other fields' } as const;
type OwnedChoice = keyof typeof OWNED;
const CHOICES = Object.keys(OWNED) as OwnedChoice[];

const manifestQuery = (path: FeaturePlace, owned: OwnedChoice) =>
  queryOptions({
    queryKey: [...featureKey(path, 'manifest'), owned],
    queryFn: () => answerOf(api.GET(PATHS.flag, { params: { path, query: { owned, ...path.past } }, ...asManifest })),
  });

export function ManifestTab({ place }: { readonly place: FeaturePlace }) {
  const [search, setSearch] = useSearchParams();
  const owned = CHOICES.find((one) => one === search.get('owned')) ?? 'all';
  const query = useQuery(manifestQuery(place, owned));
  const { data: status } = useQuery(statusQuery(place));
  // The past has no owners.
  if (place.past) return <Loaded query={query}>{(text) => <CopyableText text={text} label="YAML" />}</Loaded>;
  return (
    <>
      <div className="filter">
        <Select
          label="Show"
          of={Object.entries(OWNED)}
          value={owned}
          onChange={(next) => setSearch({ tab: 'yaml', ...(next !== 'all' && { owned: next }) }, { replace: true })}
        />
      </div>
      {status?.editUrl && <EditInGit url={status.editUrl} />}
      <Loaded query={query}>{(text) => <CopyableText text={text} label="YAML" />}</Loaded>
    </>
  );
}
