/** A link to the page of a flag. */
import { Link } from 'wouter';

interface FeatureLinkProps {
  readonly project: string;
  readonly name: string;
}

export function FeatureLink({ project, name }: FeatureLinkProps) {
  return <Link href={`/projects/${encodeURIComponent(project)}/features/${encodeURIComponent(name)}`}>{name}</Link>;
}
