/** The paths of the pages of the console, below its base. They can also stand in links of Markdown. */

/** `id`: of the project, on the wire. */
export function projectPage(id: string): string {
  return `/projects/${pathSegment(id)}`;
}

interface FlagOfPage {
  /** The ID of the project on the wire. */
  readonly project: string;
  /** The name on the wire. */
  readonly flag: string;
}

export function flagPage({ project, flag }: FlagOfPage): string {
  return `${projectPage(project)}/features/${pathSegment(flag)}`;
}

function pathSegment(text: string): string {
  return encodeURIComponent(text).replace(/[()*']/g, (one) => `%${one.charCodeAt(0).toString(16)}`);
}
