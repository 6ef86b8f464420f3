/** A link to the page of an application. */
import { Link } from 'wouter';

export function ApplicationLink({ name }: { readonly name: string }) {
  return <Link href={`/applications/${encodeURIComponent(name)}`}>{name}</Link>;
}
