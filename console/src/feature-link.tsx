/** The address of the page of a flag. */
import { Link } from 'wouter';
import type { EnvironmentPlace } from './feature/place.ts';

interface FeatureLinkProps {
  readonly project: string;
  readonly name: string;
}

export function featurePath(project: string, name: string): string {
  return `/projects/${encodeURIComponent(project)}/features/${encodeURIComponent(name)}`;
}

/** The address of the editor of a flag in an environment. */
export function editPath(place: EnvironmentPlace) {
  const query = new URLSearchParams({ tab: 'edit', environment: place.environment });
  return `${featurePath(place.projectId, place.featureName)}?${query}`;
}

/** The address of the review that copies the configuration of another environment. */
export function copyPath(place: EnvironmentPlace, from: string) {
  return `${editPath(place)}&${new URLSearchParams({ copy: from })}`;
}

export function FeatureLink({ project, name }: FeatureLinkProps) {
  return <Link href={featurePath(project, name)}>{name}</Link>;
}
