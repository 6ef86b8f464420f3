/** Validates manifests with kubeconform. */
import { fileURLToPath } from 'node:url';
import { projectTools } from '../../../scripts/tools/project-tools.ts';
import { runProgram } from '../../../scripts/tools/run-program.ts';
import type { Stored } from '../stored.ts';
import { schemaLocation } from './cluster-schemas.ts';

/** Objects of Vexil's own kinds are compared with the schemas for editors. */
const OURS = `${fileURLToPath(new URL('../../../crds/schemas/', import.meta.url))}{{ .ResourceKind }}_{{ .ResourceAPIVersion }}.json`;

interface Verdict {
  readonly resources: readonly {
    readonly kind: string;
    readonly name: string;
    readonly status: string;
    readonly msg: string;
  }[];
  readonly summary: { readonly valid: number; readonly skipped: number };
}

/** Returns a line for each object that is invalid or has no schema. `schemas` is a folder of cluster schemas. */
export async function complaintsOfKubeconform(schemas: string, objects: readonly Stored[]): Promise<readonly string[]> {
  const { kubeconform } = await projectTools();
  const locations = [schemaLocation(schemas), OURS].flatMap((location) => ['-schema-location', location]);
  const args = ['-strict', '-summary', '-output', 'json', ...locations, '-'];
  const input = objects.map((object) => JSON.stringify(object)).join('\n---\n');
  const { stdout, stderr } = await runProgram(kubeconform, args, { input });
  if (stdout === '') throw new Error(`kubeconform says nothing but: ${stderr}`);
  const { resources, summary }: Verdict = JSON.parse(stdout);
  const missing = objects.length - summary.valid - resources.length;
  return [
    ...resources.map(({ kind, name, status, msg }) => `${kind} ${name}: ${status} ${msg}`).sort(),
    ...(missing === 0 ? [] : [`${missing} of ${objects.length} objects were not looked at`]),
  ];
}
