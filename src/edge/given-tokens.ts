/** The tokens that were given at the start, in the settings and in a file. */
import { readFile } from 'node:fs/promises';
import type { EdgeSettings } from './settings.ts';

export async function givenTokens({ tokens, tokensFile }: EdgeSettings): Promise<readonly string[]> {
  if (tokensFile === undefined) return tokens;
  const lines = (await readFile(tokensFile, 'utf8')).split('\n').map((line) => line.trim());
  return [...tokens, ...lines.filter((line) => line !== '')];
}
