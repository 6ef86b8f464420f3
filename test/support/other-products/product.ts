/** A product whose files are imported, with the evaluator of its own SDK. */
import { execFile } from 'node:child_process';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { prepareFolder } from '../../../scripts/tools/prepared-folder.ts';
import { sayOnStderr } from '../../../scripts/tools/progress.ts';

/** The fields of a user as applications send them to Vexil. */
export type User = Readonly<Record<string, string | number | boolean>>;

/** What the SDK says: a value, or whether the flag is on. */
export type Evaluate = (flag: string, user: User) => Promise<unknown>;

export interface Product {
  readonly name: string;
  /** The package with its exact version. */
  readonly package: string;
  /** Returns a random document with the flags f1 to f3. */
  readonly document: (random: Random) => object;
  readonly user: (random: Random) => User;
  /** `folder` has the package. */
  readonly start: (folder: string, document: object) => Promise<{ readonly evaluate: Evaluate; stop(): void }>;
}

export const FLAGS = ['f1', 'f2', 'f3'] as const;

export interface Random {
  chance(share: number): boolean;
  pick<T>(list: readonly T[]): T;
  /** Between `min` and `max` results of `make`. */
  times<T>(min: number, max: number, make: () => T): T[];
}

/** `next` returns a number from 0 up to but excluding 1. */
export function randomOf(next: () => number): Random {
  return {
    chance: (share) => next() < share,
    pick: (list) => list[Math.floor(next() * list.length)] as (typeof list)[number],
    times: (min, max, make) => Array.from({ length: min + Math.floor(next() * (max - min + 1)) }, () => make()),
  };
}

/** Each field with a chance, with one of its values. */
export function someFields(random: Random, fields: Readonly<Record<string, readonly User[string][]>>): User {
  const there = Object.entries(fields).filter(() => random.chance(0.7));
  return Object.fromEntries(there.map(([name, values]) => [name, random.pick(values)]));
}

const CACHE = join(import.meta.dirname, '../../../.cache/other-products');

/** Installs the package on first use. Resolves with the folder that has it in `node_modules`. */
export function installedPackage({ package: spec }: Product): Promise<string> {
  const program = join('node_modules', spec.slice(0, spec.lastIndexOf('@')), 'package.json');
  return prepareFolder({
    cache: CACHE,
    version: spec.replaceAll(/[@/]/g, '-'),
    programs: [program],
    say: sayOnStderr,
    fill: async (folder) => {
      sayOnStderr(`installing ${spec}`);
      await writeFile(join(folder, 'package.json'), '{}');
      const args = ['install', '--no-audit', '--no-fund', '--no-package-lock', spec];
      await promisify(execFile)('npm', args, { cwd: folder });
      // A prepared folder has executable files.
      await chmod(join(folder, program), 0o755);
    },
  });
}

/** Imports a module of an installed package, whose types are not known. */
export async function moduleIn<T>(folder: string, path: string): Promise<T> {
  return (await import(pathToFileURL(join(folder, 'node_modules', path)).href)) as T;
}
