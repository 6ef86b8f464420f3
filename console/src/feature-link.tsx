/** The address of the page of a flag. */
import { Link } from 'wouter';

interface FeatureLinkProps {
  readonly project: string;
  readonly name: string;
}

export function featurePath(project: string, name: string): string {
  return `/projects/${encodeURIComponent(project)}/features/${encodeURIComponent(name)}`;
}

export function FeatureLink({ project, name }: FeatureLinkProps) {
  return <Link href={featurePath(project, name)}>{name}</Link>;
}
