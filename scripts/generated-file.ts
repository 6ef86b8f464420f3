/** A generated file, with the header that tells readers to change its source instead. */
import { extname } from 'node:path';

export interface GeneratedFile {
  /** Relative to the repository. */
  readonly path: string;
  /** What the text is generated from; undefined for a file that people write, of which only a part is generated. */
  readonly source?: string;
  readonly text: string;
}

const inHash = (line: string) => `# ${line}\n`;
/** By the ending of the path. JSON has no comments. */
const HEADERS: Readonly<Record<string, (line: string) => string>> = {
  '.md': (line) => `<!-- ${line} -->\n\n`,
  '.ts': (line) => `/** ${line} */\n\n`,
  '.tpl': (line) => `{{/* ${line} */}}\n`,
  '.yaml': inHash,
  '.json': () => '',
  // crds/Kustomization
  '': inHash,
};

/** Returns the whole text of the file. */
export function withHeader({ path, source, text }: GeneratedFile): string {
  if (source === undefined) return text;
  const header = HEADERS[extname(path)];
  if (header === undefined) throw new Error(`${path}: scripts/generated-file.ts has no header for this kind of file`);
  return header(`Generated from ${source} by \`npm run generate\`; do not edit.`) + text;
}
