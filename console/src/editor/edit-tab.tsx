/** The part of a flag's page that edits the flag. */
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useSearchParams } from 'wouter';
import { answerOf, api } from '../api.ts';
import { CopyLink } from '../feature/copy-link.tsx';
import type { FeaturePlace } from '../feature/place.ts';
import { Loaded } from '../loaded.tsx';
import { environmentsQuery } from '../queries.ts';
import { Select } from '../select.tsx';
import { CopyReview } from './copy-review.tsx';
import { DRAFT, READ_ONCE } from './draft-query.ts';
import { EnvironmentEditor } from './environment-editor.tsx';
import { FlagEditor } from './flag-editor.tsx';
import { PATHS } from './flag-paths.ts';
import '../style/editor.css';

export function EditTab({ place }: { readonly place: FeaturePlace }) {
  const environments = useQuery(environmentsQuery(place.projectId));
  const [search, setSearch] = useSearchParams();
  const chosen = search.get('environment') ?? '';
  const copied = search.get('copy');
  const [saved, setSaved] = useState(0);
  const [isJustSaved, setJustSaved] = useState(false);
  const status = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    // The button that had the focus is removed.
    if (saved > 0) status.current?.focus();
  }, [saved]);
  const flag = useQuery({
    queryKey: [DRAFT, place.projectId, place.featureName, saved],
    queryFn: () => readFlag(place),
    ...READ_ONCE,
  });
  const finish = () => {
    setSaved(saved + 1);
    setJustSaved(true);
  };
  return (
    <Loaded query={environments}>
      {(list) => (
        <>
          <div className="place">
            <Select
              label="Edit"
              none="the flag itself"
              of={list.map(({ name, displayName }) => [name, `in ${displayName}`])}
              value={chosen}
              onChange={(environment) => setSearch({ tab: 'edit', ...(environment !== '' && { environment }) })}
            />
            {chosen !== '' && copied === null && <CopyLink place={{ ...place, environment: chosen }} />}
            <span ref={status} role="status" tabIndex={-1} className="saved">
              {isJustSaved && 'Saved.'}
            </span>
          </div>
          <Loaded query={flag}>
            {(stored) =>
              chosen !== '' && copied !== null ? (
                <CopyReview
                  key={`${chosen} ${copied}`}
                  place={{ ...place, environment: chosen }}
                  environments={list}
                  from={copied}
                  onChoose={(copy) => setSearch({ tab: 'edit', environment: chosen, copy })}
                  onBack={() => setSearch({ tab: 'edit', environment: chosen })}
                  onSaved={() => {
                    setSearch({ tab: 'edit', environment: chosen });
                    finish();
                  }}
                />
              ) : (
                <Editor
                  key={`${chosen} ${saved}`}
                  place={place}
                  environment={chosen}
                  stored={stored}
                  onEdit={() => setJustSaved(false)}
                  onSaved={finish}
                />
              )
            }
          </Loaded>
        </>
      )}
    </Loaded>
  );
}

async function readFlag(path: FeaturePlace) {
  const { featureName } = path;
  const [flag, { tags }] = await Promise.all([
    answerOf(api.GET(PATHS.flag, { params: { path, query: { variantEnvironments: true } } })),
    answerOf(api.GET(PATHS.tags, { params: { path: { featureName } } })),
  ]);
  return { flag, tags };
}

interface EditorProps {
  readonly place: FeaturePlace;
  /** Empty for the flag itself. */
  readonly environment: string;
  readonly stored: Awaited<ReturnType<typeof readFlag>>;
  readonly onEdit: () => void;
  readonly onSaved: () => void;
}

function Editor({ place, environment, stored: { flag, tags }, ...on }: EditorProps) {
  if (environment === '') return <FlagEditor place={place} stored={flag} tags={tags} {...on} />;
  const here = flag.environments.find(({ name }) => name === environment);
  if (!here) return <p className="empty">The project has no environment {environment}.</p>;
  return <EnvironmentEditor place={{ ...place, environment }} stored={here} {...on} />;
}
