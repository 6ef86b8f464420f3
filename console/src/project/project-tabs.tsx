/** The links between the pages of a project. */
import { Link, useLocation } from 'wouter';
import { useAllowed } from '../use-allowed.ts';

export function ProjectTabs({ projectId }: { readonly projectId: string }) {
  const isAllowed = useAllowed(projectId);
  const [path] = useLocation();
  const base = `/projects/${encodeURIComponent(projectId)}`;
  const tabs = [
    { href: base, name: 'Flags' },
    { href: `${base}/compare`, name: 'Compare' },
    { href: `${base}/changes`, name: 'What changed' },
    { href: `${base}/settings`, name: 'Settings' },
    ...(isAllowed('GET /projects/{projectId}/access') ? [{ href: `${base}/access`, name: 'Members' }] : []),
  ];
  return (
    <div className="tabs">
      <nav aria-label="Parts of the project">
        {tabs.map(({ href, name }) => (
          <Link key={href} href={href} aria-current={href === path ? 'page' : undefined}>
            {name}
          </Link>
        ))}
      </nav>
    </div>
  );
}
