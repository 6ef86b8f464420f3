/** Reads the navigation of the site from docs/README.md. */
import { type Markdown, plainText } from './markdown.ts';

export interface Link {
  readonly title: string;
  /** The link as the index writes it, relative to docs/. */
  readonly target: string;
}

/** A line of the index: one page, or several pages under a name. */
export interface Entry {
  readonly title: string;
  readonly links: readonly Link[];
}

export interface NavigationSection {
  readonly title: string;
  readonly entries: readonly Entry[];
}

type Token = Markdown['tokens'][number];

/** Returns a section for each heading of the second level, with an entry for each item of its list. */
export function navigationOf({ tokens }: Markdown): readonly NavigationSection[] {
  const sections: { title: string; entries: Entry[] }[] = [];
  for (const [index, token] of tokens.entries()) {
    const before = tokens[index - 1];
    if (token.type !== 'inline') continue;
    if (before?.tag === 'h2') sections.push({ title: plainText(token), entries: [] });
    else if (tokens[index - 2]?.type === 'list_item_open') sections.at(-1)?.entries.push(entryOf(token));
  }
  return sections;
}

function entryOf(item: Token): Entry {
  const links = linksIn(item.children ?? []);
  const [only] = links;
  const title = links.length === 1 && only ? only.title : (plainText(item).split(':')[0] ?? '');
  return { title, links };
}

function linksIn(children: readonly Token[]): readonly Link[] {
  return children.flatMap((token, index) => {
    if (token.type !== 'link_open') return [];
    return [{ title: children[index + 1]?.content ?? '', target: String(token.attrGet('href')) }];
  });
}
