/** Replaces the links of pages, which are written for a Git host, by those of the site. */
import { statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { referencesOf } from './markdown.ts';
import { addressOf, type Page, type Pages, pageAt } from './pages.ts';

export interface Repository {
  /** The folder of the project. */
  readonly root: string;
  /**
   * The address at which its files are read online, such as https://git.example.com/vexil/vexil; if undefined, links to
   * files become text.
   */
  readonly url: string | undefined;
  readonly version: string;
}

/** The message has a line for each dead link. */
export class DeadLinks extends Error {}

/** The target of a link. */
interface Target {
  /** Undefined if the target has no address that the site knows. */
  readonly address: string | undefined;
  /** A file of docs/ that the site needs in addition to its pages. */
  readonly file?: string;
}

const ABSOLUTE = /^[a-z][a-z0-9+.-]*:/i;

/** Changes the links in the content of the pages. Returns the files of docs/ that the pages show or offer. */
export function resolveLinks(pages: Pages, repository: Repository): readonly string[] {
  const targetOf = resolverFor(pages, repository);
  const all = [...pages.bySource.values()].flatMap((page) =>
    referencesOf(page.content).map((reference) => ({ page, reference, target: targetOf(reference.address, page) })),
  );
  const dead = all.filter(({ target }) => target === undefined);
  const lines = dead.map(({ page, reference }) => `${page.source}: ${reference.address} leads nowhere`);
  if (lines.length > 0) throw new DeadLinks(lines.join('\n'));
  for (const { reference, target } of all) reference.change(target?.address);
  return [...new Set(all.flatMap(({ target }) => target?.file ?? []))];
}

/** Returns a relative address, which is valid wherever the site is. */
export function relativeAddress(from: string, to: string): string {
  return posix.relative(posix.dirname(from), to);
}

/** Returns a function that finds the target of a link in a page; undefined if the link leads nowhere. */
function resolverFor(pages: Pages, repository: Repository): (link: string, from: Page) => Target | undefined {
  return (link, from) => {
    if (ABSOLUTE.test(link)) return { address: link };
    const [path = '', anchor] = link.split('#');
    const source = path === '' ? from.source : posix.join(posix.dirname(from.source), decodeURI(path));
    const page = pageAt(pages, source);
    return page === undefined ? fileTarget(source, from, repository) : pageTarget(page, anchor, from);
  };
}

function pageTarget(page: Page, anchor: string | undefined, from: Page): Target | undefined {
  if (anchor === undefined) return { address: relativeAddress(from.address, page.address) };
  if (!page.content.headings.some(({ id }) => id === anchor)) return undefined;
  return { address: `${page === from ? '' : relativeAddress(from.address, page.address)}#${anchor}` };
}

/** Finds a file that is no page: in docs/, as images are, or elsewhere in the repository. */
function fileTarget(source: string, from: Page, { root, url, version }: Repository): Target | undefined {
  const found = statSync(join(root, source), { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  if (source.startsWith('docs/') && found.isFile())
    return { address: relativeAddress(from.address, addressOf(source)), file: source };
  const kind = found.isFile() ? 'blob' : 'tree';
  return { address: url === undefined ? undefined : `${url}/${kind}/v${version}/${source}` };
}
