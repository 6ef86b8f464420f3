/** The properties of a flag for all environments: tags, dependencies, lifetime, who changed it last. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Schemas } from '../api.generated.ts';
import { answerOf, api } from '../api.ts';
import { tagText } from '../editor/draft/tag-draft.ts';
import { PATHS } from '../editor/flag-paths.ts';
import { featureTypesQuery } from '../editor/form-queries.ts';
import { FeatureLink } from '../feature-link.tsx';
import { featureKey } from '../queries.ts';
import { dayText } from '../times.ts';
import { type FieldsBody, labelOf } from './fields/flag-field.ts';
import { flagFields } from './fields/flag-fields.generated.ts';
import type { FeaturePlace } from './place.ts';
import { dependencyText } from './sentences.ts';

interface AboutProps {
  readonly place: FeaturePlace;
  readonly flag: Schemas['FeatureWithEnvironments'];
  readonly changedBy: string | null;
}

export function About({ place, flag, changedBy }: AboutProps) {
  const { project, createdAt, dependencies, children } = flag;
  const { data: tags = [] } = useQuery({ queryKey: featureKey(place, 'tags'), queryFn: () => tagsOf(place) });
  const entries: readonly (readonly [string, ReactNode])[] = [
    ['Tags', tags.map((tag) => <Mark key={tagText(tag)} text={tagText(tag)} />)],
    ['Depends on', dependencies.map((one) => <Parent key={one.feature} project={project} dependency={one} />)],
    ['Needed by', children.map((child) => <Linked key={child} project={project} name={child} />)],
    ...flagFields
      .filter(({ name }) => !ELSEWHERE.includes(name))
      .map(({ name }) => [labelOf(name), shownValue(flag, name)] as const),
    ['Created', dayText(createdAt)],
    ['Last changed by', changedBy],
  ];
  return (
    <dl className="about above">
      {entries
        .filter(([, value]) => value && !(Array.isArray(value) && value.length === 0))
        .map(([label, value]) => (
          <Entry key={label} label={label} value={value} />
        ))}
    </dl>
  );
}

/** Fields that the page shows above. */
const ELSEWHERE: readonly string[] = ['type', 'description', 'stale'];

function shownValue(flag: AboutProps['flag'], name: keyof FieldsBody): ReactNode {
  if (name === 'lifetimeDays') return <Lifetime flag={flag} />;
  const value = flag[name];
  if (name === 'impressionData') return value && 'SDKs emit an event for each evaluation';
  return value === true ? 'Yes' : value;
}

/** The tags of a past time are in the list of flags only. */
async function tagsOf({ projectId, featureName, past }: FeaturePlace): Promise<Schemas['FeatureSummary']['tags']> {
  if (!past) return (await answerOf(api.GET(PATHS.tags, { params: { path: { featureName } } }))).tags;
  const params = { path: { projectId }, query: { namePrefix: featureName, ...past } };
  const { features } = await answerOf(api.GET('/api/admin/projects/{projectId}/features', { params }));
  return features.find(({ name }) => name === featureName)?.tags ?? [];
}

function Entry({ label, value }: { readonly label: string; readonly value: ReactNode }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function Mark({ text }: { readonly text: string }) {
  return <span className="mark">{text}</span>;
}

function Linked({ project, name }: { readonly project: string; readonly name: string }) {
  return (
    <>
      <FeatureLink project={project} name={name} />{' '}
    </>
  );
}

interface ParentProps {
  readonly project: string;
  readonly dependency: Schemas['Dependency'];
}

function Parent({ project, dependency }: ParentProps) {
  return (
    <div>
      <FeatureLink project={project} name={dependency.feature} /> {dependencyText(dependency)}
    </div>
  );
}

function Lifetime({ flag: { type, lifetimeDays } }: Pick<AboutProps, 'flag'>) {
  const { data: types = [] } = useQuery(featureTypesQuery);
  const days = lifetimeDays ?? types.find(({ id }) => id === type)?.lifetimeDays;
  return days ? `${days} days` : 'Without end';
}
