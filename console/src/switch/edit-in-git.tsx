/** The link to the manifest of a flag in Git, where a change is opened. */
import { Icon } from '../icons.tsx';

export function EditInGit({ url }: { readonly url: string }) {
  return (
    <p>
      <a className="button" href={url} target="_blank" rel="noreferrer">
        <Icon name="git" /> Open a change in Git
      </a>
    </p>
  );
}

/** The server with the first two parts of the path: where owners and repositories are. */
export function repositoryOf(url: string): string {
  const { host, pathname } = new URL(url);
  return [host, ...pathname.split('/').filter(Boolean).slice(0, 2)].join('/');
}
