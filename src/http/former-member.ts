/** Takes off the entry of an earlier user, so that a user of the same name can become a member. */
import { withoutFormer } from '../domain/edit-members.ts';
import { isMeant } from '../domain/members.ts';
import { AppError } from '../errors.ts';
import type { ChangeOptions } from '../kube/change.ts';
import type { FlagUser } from '../schema/flag-user.ts';
import type { Project, ProjectSpec, ProjectStatus } from '../schema/project.ts';
import type { Services } from './route.ts';
import { until } from './until.ts';

const NOTED_WITHIN_MS = 10_000;
const ASK_AGAIN_SECONDS = 1;

interface Wanted extends Pick<ChangeOptions<ProjectSpec, ProjectStatus>, 'expect'> {
  readonly user: FlagUser;
}

/** Resolves when the project has no entry of an earlier user under the name of this one, and nothing notes one. */
export async function takeOffFormer(
  { projects, ending }: Pick<Services, 'projects' | 'ending'>,
  { metadata }: Project,
  { user, ...options }: Wanted,
): Promise<void> {
  await projects.change(metadata, (version) => withoutFormer(version, user), options);
  const timely = AbortSignal.timeout(NOTED_WITHIN_MS);
  const look = () => {
    const present = projects.get(metadata);
    return !present || isMeant(present, user) ? true : undefined;
  };
  try {
    await until(look, { caches: [projects], signal: AbortSignal.any([ending, timely]) });
  } catch (cause) {
    const message =
      'The entry of an earlier user of this name was taken off the project, and no replica has noted that in time. Send the same request again.';
    throw new AppError('unavailable', message, { cause, retryAfterSeconds: ASK_AGAIN_SECONDS });
  }
}
