/** Someone whom Kubernetes knows as a caller: its authorizer says what they may do. */
import type { Author } from '../../domain/author.ts';
import type { Access } from '../../kube/reviews.ts';
import { GROUP } from '../../schema/kind.ts';
import type { Caller } from './caller.ts';

/** `allows` asks for this caller. */
export function kubernetesCaller(author: Author, allows: (access: Access) => Promise<boolean>): Caller {
  const refusalOfWrite = async (access: Access): Promise<string | undefined> =>
    (await allows(access)) ? undefined : missing(author.name, access);
  return {
    author,
    refusal: async ({ access }) => access && refusalOfWrite(access),
    refusalOfWrite,
  };
}

/** As kubectl tells it. */
function missing(username: string, { verb, group = GROUP, resource, namespace, name }: Access): string {
  const object = name === undefined ? '' : ` "${name}"`;
  return `User "${username}" cannot ${verb} resource "${resource}"${object} in API group "${group}" in the namespace "${namespace}".`;
}
