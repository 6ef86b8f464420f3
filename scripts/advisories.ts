/**
 * Checks the packages of the lockfile for known vulnerabilities with the registry. Exit code: 0 for none, 1 for some,
 * 75 if the registry does not answer.
 */
import { execFile } from 'node:child_process';
import { env, execPath, exit, stdout } from 'node:process';

const FOUND = 1;
const NOT_CHECKED = 75;
const MAX_BYTES = 64 * 1024 * 1024;

interface Report {
  readonly vulnerabilities?: Readonly<Record<string, { readonly severity: string; readonly range: string }>>;
  /** The error, if the registry did not answer. */
  readonly message?: string;
}

/** Runs `npm audit`, which also fails if it finds something. */
function audit(): Promise<Report> {
  // The npm that runs this script sets the variable; otherwise use the npm on the path.
  const npm = env['npm_execpath'];
  const [program, before] = npm === undefined ? ['npm', []] : [execPath, [npm]];
  return new Promise((resolve) => {
    execFile(
      program,
      [...before, 'audit', '--json', '--package-lock-only'],
      { maxBuffer: MAX_BYTES },
      (error, text) => {
        try {
          resolve(JSON.parse(text));
        } catch {
          resolve({ message: error?.message ?? 'npm audit printed nothing' });
        }
      },
    );
  });
}

const { vulnerabilities, message } = await audit();
if (vulnerabilities === undefined) {
  // The message may contain the address of the registry.
  stdout.write(`advisories: not checked: ${(message ?? 'no answer').replace(/\s*- \w+ https?:\S+/, '')}\n`);
  exit(NOT_CHECKED);
}
const found = Object.entries(vulnerabilities);
for (const [name, { severity, range }] of found) stdout.write(`advisories: ${severity}: ${name} ${range}\n`);
stdout.write(`advisories: ${found.length} packages of the lockfile have known vulnerabilities\n`);
exit(found.length === 0 ? 0 : FOUND);
