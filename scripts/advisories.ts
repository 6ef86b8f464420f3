/**
 * Asks the registry for known weaknesses of the packages of the lockfile. Ends with 0 where there are none, with 1 where
 * there are some, and with 75 where the registry does not answer that question: then nothing is known.
 */
import { execFile } from 'node:child_process';
import { env, execPath, exit, stdout } from 'node:process';

const FOUND = 1;
const NOT_CHECKED = 75;
const MOST_BYTES = 64 * 1024 * 1024;

interface Report {
  readonly vulnerabilities?: Readonly<Record<string, { readonly severity: string; readonly range: string }>>;
  /** Why there is no answer. */
  readonly message?: string;
}

/** `npm audit` fails where it finds something, too. */
function audit(): Promise<Report> {
  // Which npm runs this script, it tells here; without one it is whichever is found.
  const npm = env['npm_execpath'];
  const [program, before] = npm === undefined ? ['npm', []] : [execPath, [npm]];
  return new Promise((resolve) => {
    execFile(
      program,
      [...before, 'audit', '--json', '--package-lock-only'],
      { maxBuffer: MOST_BYTES },
      (error, text) => {
        try {
          resolve(JSON.parse(text));
        } catch {
          resolve({ message: error?.message ?? 'npm audit has said nothing' });
        }
      },
    );
  });
}

const { vulnerabilities, message } = await audit();
if (vulnerabilities === undefined) {
  // The registry is the one that npm is configured with.
  stdout.write(`advisories: not checked: ${(message ?? 'no answer').replace(/\s*- \w+ https?:\S+/, '')}\n`);
  exit(NOT_CHECKED);
}
const found = Object.entries(vulnerabilities);
for (const [name, { severity, range }] of found) stdout.write(`advisories: ${severity}: ${name} ${range}\n`);
stdout.write(`advisories: ${found.length} packages of the lockfile have known weaknesses\n`);
exit(found.length === 0 ? 0 : FOUND);
