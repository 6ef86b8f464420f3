/** The address at which people change the manifest of a flag in Git, from the template of its project. */
import type { ObjectMetadata } from '../../model/object.ts';

interface FlagToEdit {
  readonly metadata: Pick<ObjectMetadata, 'namespace' | 'name'>;
  /** The wire name of the flag. */
  readonly flag: string;
  /** The id of the project. */
  readonly project: string;
}

/**
 * `template` is `spec.editUrl` of the Project, such as `https://github.com/acme/flags/edit/main/{namespace}/{name}.yaml`.
 * Undefined without a template, for one with an unknown placeholder, and for one that is not the URL of a web page.
 */
export function editUrlOf(template: string | undefined, { metadata, flag, project }: FlagToEdit): string | undefined {
  if (template === undefined) return undefined;
  const values: Readonly<Record<string, string>> = {
    namespace: metadata.namespace,
    name: metadata.name,
    flag,
    project,
  };
  const names = [...template.matchAll(/\{([^{}]*)\}/g)].map(([, name = '']) => name);
  if (!names.every((name) => Object.hasOwn(values, name))) return undefined;
  const filled = template.replace(/\{([^{}]*)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''));
  const url = URL.canParse(filled) ? new URL(filled) : undefined;
  return url && ['https:', 'http:'].includes(url.protocol) && url.username === '' ? url.href : undefined;
}
