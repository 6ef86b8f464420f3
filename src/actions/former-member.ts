/** Removes the entry of an earlier user, so that a user of the same name can become a member. */
import { withoutFormer } from '../domain/project/edit-members.ts';
import { isSameUser } from '../domain/project/members.ts';
import { Refusal } from '../errors.ts';
import type { ChangeOptions } from '../kube/write/change.ts';
import type { FlagUser } from '../schema/flag-user.ts';
import type { Project, ProjectSpec, ProjectStatus } from '../schema/project.ts';
import type { Services } from './services.ts';
import { waitForCache } from './wait-for-cache.ts';

const RETRY_AFTER_SECONDS = 1;

interface MemberRemoval extends Pick<ChangeOptions<ProjectSpec, ProjectStatus>, 'expect'> {
  readonly user: FlagUser;
}

/** Resolves when neither spec nor status of the project has an entry of an earlier user of this name. */
export async function removeFormerMember(
  { projects, ending, timings }: Pick<Services, 'projects' | 'ending' | 'timings'>,
  { metadata }: Project,
  { user, ...options }: MemberRemoval,
): Promise<void> {
  await projects.change(metadata, (version) => withoutFormer(version, user), options);
  const timely = AbortSignal.timeout(timings.memberWaitMs);
  const look = () => {
    const present = projects.get(metadata);
    return !present || isSameUser(present, user) ? true : undefined;
  };
  try {
    await waitForCache(look, { caches: [projects], signal: AbortSignal.any([ending, timely]) });
  } catch (cause) {
    const message =
      'The entry of an earlier user of this name was removed from the project, and no replica has recorded that in time. Send the same request again.';
    throw new Refusal('unavailable', message, { cause, retryAfterSeconds: RETRY_AFTER_SECONDS });
  }
}
