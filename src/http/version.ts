/** Which Vexil this is. */
import { readFileSync } from 'node:fs';

/** As the package says, which lies two folders above this one, also when it is compiled. */
export function readVersion(): string {
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}
