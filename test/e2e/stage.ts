/** The resources of the end-to-end tests: a cluster, the programs that use it, the images in it. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ClusterPlace } from './provider/provider.ts';

export const PROJECT = fileURLToPath(new URL('../..', import.meta.url));

/** The folder for everything that a run needs. */
export const STATE = join(PROJECT, '.cache/e2e');

/** Plain values, so that they can be passed to another process. */
export interface Stage extends ClusterPlace {
  /** The path of the program. */
  readonly helm: string;
  readonly operatorImage: ImageName;
  readonly postgresImage: ImageName;
}

export interface ImageName {
  readonly repository: string;
  readonly tag: string;
}

export const inWords = ({ repository, tag }: ImageName) => `${repository}:${tag}`;

const file = join(STATE, 'stage.json');

export async function writeStage(stage: Stage): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, JSON.stringify(stage));
}

export async function readStage(): Promise<Stage> {
  return JSON.parse(await readFile(file, 'utf8'));
}
