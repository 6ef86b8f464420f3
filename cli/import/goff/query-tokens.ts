/** The tokens of a query of GO Feature Flag. */

export interface Token {
  readonly kind: 'word' | 'text' | 'number' | 'version' | 'mark';
  /** Without the quotes of a text. */
  readonly text: string;
}

const VERSION = String.raw`\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?`;
const NUMBER = String.raw`-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?`;
const WORD = String.raw`[A-Za-z][\w:-]*(?:\.[A-Za-z][\w:-]*)*`;
const MARK = String.raw`[()[\],]|[=!<>]=|[<>]`;

const PATTERN = new RegExp(
  String.raw`\s*(?:"(?<text>[^"\\]*)"|(?<version>${VERSION})|(?<number>${NUMBER})|(?<word>${WORD})|(?<mark>${MARK}))`,
  'y',
);

/** Returns undefined for text that is none of the tokens, such as a text with an escape. */
export function tokensOf(query: string): readonly Token[] | undefined {
  const tokens: Token[] = [];
  const text = query.trim();
  PATTERN.lastIndex = 0;
  while (PATTERN.lastIndex < text.length) {
    const groups = PATTERN.exec(text)?.groups;
    if (!groups) return undefined;
    const [kind, value] = Object.entries(groups).find((entry) => entry[1] !== undefined) ?? [];
    tokens.push({ kind: kind as Token['kind'], text: value ?? '' });
  }
  return tokens;
}
