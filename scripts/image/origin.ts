/** Which sources an image is made of, and what makes it. */
import { env } from 'node:process';
import manifest from '../../package.json' with { type: 'json' };
import { runQuietly } from './run-quietly.ts';
import type { Origin } from './statements.ts';

export interface Commit {
  readonly origin: Origin;
  /** In seconds. */
  readonly epoch: number;
  readonly isClean: boolean;
}

/** Describes the commit that is checked out. A change that is not committed is part of the name of the revision. */
export async function presentCommit(root: string): Promise<Commit> {
  const git = async (...args: readonly string[]) => (await runQuietly('git', args, { cwd: root })).trim();
  const [commit, time, changed] = await Promise.all([
    git('rev-parse', 'HEAD'),
    git('log', '-1', '--format=%ct'),
    git('status', '--porcelain', '--untracked-files=no'),
  ]);
  const isClean = changed === '';
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: name, GITHUB_WORKFLOW_REF: workflow } = env;
  const onGitHub = server !== undefined && name !== undefined && workflow !== undefined;
  return {
    isClean,
    epoch: Number(time),
    origin: {
      revision: isClean ? commit : `${commit}-changed`,
      version: manifest.version,
      ...(onGitHub && { repository: `${server}/${name}` }),
      builder: onGitHub ? `${server}/${workflow}` : 'https://vexil.dev/build/by-hand',
    },
  };
}
