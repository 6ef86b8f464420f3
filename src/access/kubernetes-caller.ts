/** A Kubernetes user as a caller, authorized by access reviews. */
import type { Author } from '../domain/identity/author.ts';
import type { Access } from '../kube/api/reviews.ts';
import { GROUP } from '../model/kind.ts';
import type { Caller, Sent } from './caller.ts';

/** `allows` reviews the access of this caller. */
export function kubernetesCaller(author: Author, allows: (access: Access) => Promise<boolean>): Caller {
  return {
    author,
    async refusal({ accesses = [], sent }) {
      const verdicts = await Promise.all(accesses.map(allows));
      const denied = accesses.find((_, index) => !verdicts[index]);
      return denied && missing(author.name, denied, sent);
    },
    refusalOfWrite: async (access, sent) => ((await allows(access)) ? undefined : missing(author.name, access, sent)),
  };
}

/** Worded as by kubectl, except that name and namespace of the object appear only as the caller sent them. */
function missing(username: string, { verb, group = GROUP, resource }: Access, { object, place }: Sent = {}): string {
  const named = object === undefined || object === '' ? '' : ` "${object}"`;
  const where = place === undefined ? '' : ` in ${place}`;
  return `User "${username}" cannot ${verb} resource "${resource}"${named} in API group "${group}"${where}.`;
}
