/** The tokens of applications that a comparison uses, from a file. */
import { readFile } from 'node:fs/promises';
import { InputError } from '../failure.ts';

export interface GivenToken {
  readonly environment: string;
  readonly value: string;
}

/** Tokens of Unleash name their environment: `*:production.…`. */
const NAMED = /^[^:\s]+:([^.\s]+)\.\S+$/;

/** Reads one token a line, `ENVIRONMENT TOKEN` for tokens that do not name their environment. Throws an InputError. */
export async function readTokens(file: string): Promise<readonly GivenToken[]> {
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw new InputError(`cannot read the tokens: ${error.message}`);
  });
  const lines = text.split('\n').map((line) => line.trim());
  const tokens = lines.flatMap((line, index) =>
    line === '' || line.startsWith('#') ? [] : [tokenIn(line, `${file}:${index + 1}`)],
  );
  if (tokens.length === 0) throw new InputError(`${file} has no token: write one a line`);
  return tokens;
}

/** The message must not have the token. */
function tokenIn(line: string, place: string): GivenToken {
  const [first = '', second, ...others] = line.split(/\s+/);
  if (others.length > 0) throw new InputError(`${place}: a line is TOKEN, or ENVIRONMENT TOKEN`);
  if (second !== undefined) return { environment: first, value: second };
  const environment = NAMED.exec(first)?.[1];
  if (environment === undefined)
    throw new InputError(`${place}: the token does not say its environment: write ENVIRONMENT TOKEN`);
  return { environment, value: first };
}
