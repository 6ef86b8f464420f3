/** Parses the Markdown of the documentation, and renders it as HTML. */
import GithubSlugger from 'github-slugger';
import hljs from 'highlight.js/lib/common';
import MarkdownIt, { type Token } from 'markdown-it';

export interface Heading {
  readonly level: number;
  /** The id that Git hosts derive from the text. */
  readonly id: string;
  readonly text: string;
}

/** The text between two headings, as plain text. */
export interface Section {
  readonly heading: Heading;
  readonly text: string;
}

export interface Markdown {
  readonly tokens: readonly Token[];
  readonly headings: readonly Heading[];
}

const COMMENT = /^\s*<!--.*-->\s*$/s;

const markdown = MarkdownIt({ html: true, highlight });
const { rules } = markdown.renderer;
export const { escapeHtml } = markdown.utils;
// The keyboard can scroll only elements that can have the focus.
rules['table_open'] = () => '<div class="scroll" role="group" aria-label="Table" tabindex="0"><table>\n';
rules['table_close'] = () => '</table></div>\n';
rules['fence'] = (tokens, index) => {
  const { content, info } = tokenAt(tokens, index);
  return `<pre tabindex="0"><code>${highlight(content, info.trim())}</code></pre>\n`;
};
rules['html_block'] = (tokens, index) => withoutComment(tokenAt(tokens, index));
rules['html_inline'] = rules['html_block'];

function highlight(code: string, language: string): string {
  return hljs.getLanguage(language) === undefined ? escapeHtml(code) : hljs.highlight(code, { language }).value;
}

function withoutComment({ content }: Token): string {
  if (COMMENT.test(content)) return '';
  throw new Error(`HTML is not shown as written: ${content.trim()}: put it in a code span`);
}

function tokenAt(tokens: readonly Token[], index: number): Token {
  const token = tokens[index];
  if (token === undefined) throw new RangeError(`there is no token ${index}`);
  return token;
}

/** Gives each heading its id. */
export function parseMarkdown(text: string): Markdown {
  const tokens = markdown.parse(text, {});
  const slugger = new GithubSlugger();
  const headings = tokens.flatMap((token, index) => {
    if (token.type !== 'heading_open') return [];
    const title = plainText(tokenAt(tokens, index + 1));
    const id = slugger.slug(title);
    token.attrSet('id', id);
    return [{ level: Number(token.tag.slice(1)), id, text: title }];
  });
  return { tokens, headings };
}

/** Includes the changes that were made to attributes of the tokens. */
export function renderMarkdown({ tokens }: Markdown): string {
  return markdown.renderer.render([...tokens], markdown.options, {});
}

/** Returns the sections in order. Text before the first heading is in no section. */
export function sectionsOf({ tokens, headings }: Markdown): readonly Section[] {
  const texts: string[][] = [];
  for (const token of tokens) {
    if (token.type === 'heading_open') texts.push([]);
    else if (token.type === 'fence') texts.at(-1)?.push(token.content);
    else if (token.type === 'inline') texts.at(-1)?.push(plainText(token));
  }
  return headings.map((heading, index) => ({ heading, text: texts[index]?.join('\n') ?? '' }));
}

/** The text of an inline token without its marks. */
export function plainText({ children }: Token): string {
  return (children ?? [])
    .map(({ type, content }) => (type === 'softbreak' ? ' ' : type === 'html_inline' ? '' : content))
    .join('');
}

/** A link or an image. */
export interface Reference {
  readonly address: string;
  /** If the address is undefined, the reference becomes text. */
  change(address: string | undefined): void;
}

export function referencesOf({ tokens }: Markdown): readonly Reference[] {
  return tokens
    .flatMap(({ children }) => children ?? [])
    .flatMap((token) => {
      const attribute = ATTRIBUTES[token.type];
      return attribute === undefined ? [] : [referenceOf(token, attribute)];
    });
}

const ATTRIBUTES: Readonly<Record<string, string>> = { link_open: 'href', image: 'src' };

function referenceOf(token: Token, attribute: string): Reference {
  const change = (address: string | undefined) => {
    if (address === undefined) token.attrs = [];
    else token.attrSet(attribute, address);
  };
  return { address: String(token.attrGet(attribute)), change };
}
