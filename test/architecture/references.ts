/** References from code and documents to documents. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import type { Finding, Source } from './source.ts';

export type Text = Pick<Source, 'path' | 'text'>;

/** A reference and where it stands. */
interface Reference {
  readonly line: number;
  /** The path of the page from the root of the project. */
  readonly page: string;
  /** The anchor without `#`. If absent, the reference is to the page as a whole. */
  readonly anchor: string | undefined;
}

/** Returns every Markdown file but those of packages and frozen releases. */
export function readDocuments(root: string): Text[] {
  const below = ['docs', 'charts', 'config', 'test/support'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((path) => posix.join(folder, path)),
  );
  const paths = [...readdirSync(root), ...below].filter((path) => path.endsWith('.md')).toSorted();
  return paths.map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
}

/** Mentions of documents that are not in the repository. */
export function papers(texts: readonly Text[]): Finding[] {
  const because = 'readers have only this repository: state the fact, or link a page of docs/';
  return texts.flatMap(({ path, text }) =>
    linesOf(text).flatMap((line, index) =>
      /\b(facts|product|style|review) §/i.test(line)
        ? [{ path, line: index + 1, what: 'cites a document outside the repository', because }]
        : [],
    ),
  );
}

/** References to files or headings that do not exist. `exists` takes a path from the root. */
export function deadLinks(texts: readonly Text[], exists: (path: string) => boolean): Finding[] {
  const because = 'a link leads to a file of the repository, and an anchor to one of its headings';
  const anchors = new Map(texts.filter(isDocument).map(({ path, text }) => [path, anchorsOf(text)]));
  const isDead = ({ page, anchor }: Reference): boolean =>
    !exists(page) || (anchor !== undefined && anchors.get(page)?.has(anchor) === false);
  return texts.flatMap((text) =>
    (isDocument(text) ? linksOf(text) : mentionsOf(text)).filter(isDead).map(({ line, page, anchor }) => {
      const what = `refers to ${page}${anchor === undefined ? '' : `#${anchor}`}, which does not exist`;
      return { path: text.path, line, what, because };
    }),
  );
}

function isDocument({ path }: Text): boolean {
  return path.endsWith('.md');
}

/** Links of Markdown, relative to the file. */
function linksOf({ path, text }: Text): Reference[] {
  return prose(text).flatMap((line, index) =>
    [...line.matchAll(/\]\((?![a-z]+:)([^)#\s]*)(?:#([^)\s]*))?\)/g)].map(([, file, anchor]) => ({
      line: index + 1,
      page: file ? posix.join(posix.dirname(path), file) : path,
      anchor,
    })),
  );
}

/** Mentions of pages in code, relative to the root. */
function mentionsOf({ text }: Text): Reference[] {
  return linesOf(text).flatMap((line, index) =>
    [...line.matchAll(/\b(docs\/[\w/.-]+\.md)(?:#([\w-]+))?/g)].map(([, page = '', anchor]) => ({
      line: index + 1,
      page,
      anchor,
    })),
  );
}

/** The anchors that GitHub gives to headings. */
function anchorsOf(text: string): Set<string> {
  const anchors = new Set<string>();
  for (const line of prose(text)) {
    const heading = /^#+ +(.+)$/.exec(line)?.[1];
    if (heading === undefined) continue;
    const plain = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const slug = plain.replaceAll(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(/\s/g, '-');
    anchors.add(anchors.has(slug) ? `${slug}-1` : slug);
  }
  return anchors;
}

/** The lines of a text. Lines within blocks of code are empty. */
function prose(text: string): string[] {
  let inCode = false;
  return linesOf(text).map((line) => {
    if (line.trimStart().startsWith('```')) inCode = !inCode;
    return inCode ? '' : line;
  });
}

function linesOf(text: string): string[] {
  return text.split('\n');
}
