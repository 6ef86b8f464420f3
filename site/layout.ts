/** The parts around the content of each page: header, search, navigation, the headings of the page. */
import { posix } from 'node:path';
import { escapeHtml, type Heading } from './markdown.ts';
import type { Entry } from './navigation.ts';
import { type Pages, pageAt, pagesOfFolder, sourceOf } from './pages.ts';
import { relativeAddress } from './resolve-links.ts';

export interface Shown {
  /** The path of the HTML from the root of this version. */
  readonly address: string;
  readonly title: string;
  readonly headings: readonly Heading[];
  /** The content as HTML. */
  readonly content: string;
  /** The paths of JavaScript modules from the root of this version. */
  readonly scripts?: readonly string[];
}

/** Pages with fewer headings need no list of them. */
const MIN_LISTED_HEADINGS = 3;

/** Returns a function from content to a whole page. */
export function layoutFor(pages: Pages, version: string): (page: Shown) => string {
  return (page) => {
    const at = (address: string) => relativeAddress(page.address, address);
    const scripts = (page.scripts ?? []).map((path) => `<script type="module" src="${at(path)}"></script>\n`);
    return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(page.title)} – Vexil ${version}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${at('assets/site.css')}">
${scripts.join('')}</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header>
<a class="home" href="${at('index.html')}">Vexil</a>
<a href="${at('../versions.html')}">Version ${version}</a>
<a class="to-pages" href="#pages">Pages</a>
<form role="search" action="${at('search.html')}">
<input type="search" name="q" aria-label="Search" placeholder="Search" required>
<button>Search</button>
</form>
</header>
<div class="columns">
<nav id="pages" aria-label="Pages">
${navigation(pages, page.address)}</nav>
<main id="content">
${withContents(page)}</main>
</div>
</body>
</html>
`;
  };
}

/** Adds the headings of the second level, below the title. */
function withContents({ headings, content }: Shown): string {
  const listed = headings.filter(({ level }) => level === 2);
  if (listed.length < MIN_LISTED_HEADINGS) return content;
  const items = list(listed.map(({ id, text }) => `<a href="#${id}">${escapeHtml(text)}</a>`));
  return content.replace(
    '</h1>\n',
    (end) => `${end}<nav class="contents" aria-label="On this page">\n${items}</nav>\n`,
  );
}

/** If a folder has no index of its own, each of its pages lists all of them. */
function navigation(pages: Pages, here: string): string {
  const link = ({ address, title }: Pick<Shown, 'address' | 'title'>) => {
    const current = address === here ? ' aria-current="page"' : '';
    return `<a href="${relativeAddress(here, address)}"${current}>${escapeHtml(title)}</a>`;
  };
  const entry = ({ title, links }: Entry): string => {
    const shown = links.flatMap((one) => {
      const page = pageAt(pages, sourceOf(one.target));
      return page === undefined ? [] : [{ ...page, title: one.title }];
    });
    if (shown.length > 1) return escapeHtml(title) + list(shown.map(link));
    const beside = shown
      .filter(({ address }) => posix.dirname(address) === posix.dirname(here))
      .flatMap((page) => pagesOfFolder(pages, page));
    return shown.map(link).join('') + list(beside.map(link));
  };
  return pages.navigation
    .map(({ title, entries }) => `<h2>${escapeHtml(title)}</h2>\n${list(entries.map(entry))}`)
    .join('');
}

function list(items: readonly string[]): string {
  const lines = items.map((item) => `<li>${item}</li>\n`);
  return lines.length === 0 ? '' : `<ul>\n${lines.join('')}</ul>\n`;
}
