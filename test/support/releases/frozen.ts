/** The frozen releases below test/releases. */
import { readdirSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { runProgram } from '../../../scripts/tools/run-program.ts';
import type { Definition } from './narrowed.ts';

const FOLDER = fileURLToPath(new URL('../../releases', import.meta.url));
/** The definitions of version 0.1.0. */
export const LAST_RELEASE = 'schema-86a3360';
export const CURRENT_DEFINITIONS = fileURLToPath(new URL('../../../crds', import.meta.url));

/** The names of the folders that begin with the prefix. */
export function frozen(prefix: 'schema-' | 'chart-' | 'interface-'): readonly string[] {
  return readdirSync(FOLDER)
    .filter((name) => name.startsWith(prefix))
    .sort();
}

export function frozenPath(release: string, ...rest: readonly string[]): string {
  return join(FOLDER, release, ...rest);
}

/** Unpacks the operator of a version into a folder. Returns the path of its main file. */
export async function unpackOperator(version: string, folder: string): Promise<string> {
  const archive = frozenPath(`operator-${version}`, 'operator.tar.gz');
  const { code, stderr } = await runProgram('tar', ['-xzf', archive, '-C', folder]);
  if (code !== 0) throw new Error(`tar failed with ${code}: ${stderr}`);
  return join(folder, 'main.js');
}

/** The definitions of a folder, by the name of their file. */
export async function definitionsIn(folder: string): Promise<ReadonlyMap<string, Definition>> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.yaml'));
  const texts = files.map(async (name) => [name, parse(await readFile(join(folder, name), 'utf8'))] as const);
  return new Map(await Promise.all(texts));
}
