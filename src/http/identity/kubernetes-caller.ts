/** Someone whom Kubernetes knows as a caller: its authorizer says what they may do. */
import type { Author } from '../../domain/author.ts';
import type { Access } from '../../kube/reviews.ts';
import { GROUP } from '../../schema/kind.ts';
import type { Caller, Sent } from './caller.ts';

/** `allows` asks for this caller. */
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

/** As kubectl tells it, but for the name and namespace of the object: those are only told as the caller sent them. */
function missing(username: string, { verb, group = GROUP, resource }: Access, { object, place }: Sent = {}): string {
  const named = object === undefined || object === '' ? '' : ` "${object}"`;
  const where = place === undefined ? '' : ` in ${place}`;
  return `User "${username}" cannot ${verb} resource "${resource}"${named} in API group "${group}"${where}.`;
}
