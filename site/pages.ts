/** Reads the pages of the site: the Markdown of docs/, and pages elsewhere that docs/README.md links. */
import { globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { type Markdown, parseMarkdown } from './markdown.ts';
import { type Link, type NavigationSection, navigationOf } from './navigation.ts';

export const INDEX = 'docs/README.md';

export interface Page {
  /** The path of the file from the root of the project. */
  readonly source: string;
  /** The path of the HTML from the root of the site. */
  readonly address: string;
  readonly title: string;
  readonly content: Markdown;
  /** Whether the page lists the pages of its folder. */
  readonly isListing: boolean;
}

export interface Pages {
  readonly bySource: ReadonlyMap<string, Page>;
  readonly navigation: readonly NavigationSection[];
}

export function readPages(root: string): Pages {
  const read = (source: string) => pageOf(source, readFileSync(join(root, source), 'utf8'));
  const navigation = navigationOf(read(INDEX).content);
  const links = navigation.flatMap(({ entries }) => entries.flatMap((entry) => entry.links));
  const linked = links.map(({ target }) => sourceOf(target)).filter((path) => path.endsWith('.md'));
  const inDocs = globSync('docs/**/*.md', { cwd: root }).map((path) => path.replaceAll('\\', '/'));
  const files = [...new Set([...inDocs, ...linked])].toSorted().map(read);
  const folders = links.flatMap((link) => folderPage(link, files) ?? []);
  return { bySource: new Map([...files, ...folders].map((page) => [page.source, page])), navigation };
}

/** Returns the file or folder that a link of the index leads to. */
export function sourceOf(target: string): string {
  return posix.join(posix.dirname(INDEX), target);
}

function pageOf(source: string, text: string): Page {
  const content = parseMarkdown(text);
  const title = content.headings[0]?.text;
  if (title === undefined) throw new Error(`${source} has no heading`);
  return { source, address: addressOf(source), title, content, isListing: false };
}

/** Returns the page of a file, or of the README.md of a folder. */
export function pageAt({ bySource }: Pick<Pages, 'bySource'>, source: string): Page | undefined {
  return bySource.get(source) ?? bySource.get(posix.join(source, 'README.md'));
}

/** Returns the other pages of the folder that this page lists; none unless the page lists its folder. */
export function pagesOfFolder({ bySource }: Pages, { source, isListing }: Page): readonly Page[] {
  const isWithin = (page: Page) => posix.dirname(page.source) === posix.dirname(source) && page.source !== source;
  return isListing ? [...bySource.values()].filter(isWithin) : [];
}

/**
 * The README.md of a folder, otherwise a list of its pages, as a Git host shows it. Returns undefined if the link leads
 * to no folder, or the folder has no pages.
 */
function folderPage({ title, target }: Link, files: readonly Page[]): Page | undefined {
  const folder = sourceOf(target);
  const index = files.find(({ source }) => source === `${folder}/README.md`);
  if (index !== undefined) return { ...index, isListing: true };
  const within = files.filter(({ source }) => posix.dirname(source) === folder);
  const lines = within.map((page) => `- [${page.title}](${posix.basename(page.source)})\n`);
  if (lines.length === 0) return undefined;
  return { ...pageOf(`${folder}/README.md`, `# ${title}\n\n${lines.join('')}`), isListing: true };
}

/** Returns the path in the site of a file of docs/, or of a page from elsewhere. */
export function addressOf(source: string): string {
  return source
    .replace(/^docs\//, '')
    .replace(/(^|\/)README\.md$/, '$1index.md')
    .replace(/\.md$/, '.html');
}
