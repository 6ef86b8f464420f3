/** The bill of materials of what is built: the packages that have code in it, as npm knows them, and Node.js itself. */
import { execFile } from 'node:child_process';
import { env, execPath, version } from 'node:process';
import { promisify } from 'node:util';
import manifest from '../package.json' with { type: 'json' };

const run = promisify(execFile);
const MOST_BYTES = 64 * 1024 * 1024;

interface Component {
  readonly 'bom-ref': string;
  readonly externalReferences?: readonly { readonly type: string }[];
}

interface Dependency {
  readonly ref: string;
  readonly dependsOn: readonly string[];
}

interface BillOfMaterials {
  readonly serialNumber?: string;
  readonly metadata: Readonly<Record<string, unknown>> & { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly Dependency[];
}

/**
 * As CycloneDX; `packages` are like `name@version`. It says the same for the same lockfile: no time, no number, no place
 * where a package was fetched from.
 */
export async function billOfMaterials(root: string, packages: ReadonlySet<string>): Promise<string> {
  const { serialNumber: _, metadata, components, dependencies, ...rest } = await wholeBill(root);
  const { timestamp: __, ...lasting } = metadata;
  const known = new Set(components.map((component) => component['bom-ref']));
  const unknown = [...packages].filter((name) => !known.has(name));
  if (unknown.length > 0) throw new Error(`the lockfile does not have what is built in: ${unknown.join(', ')}`);
  const isBuiltIn = (ref: string) => packages.has(ref) || ref === metadata.component['bom-ref'];
  const whole = {
    ...rest,
    // npm calls it like the folder that it is in.
    metadata: { ...lasting, component: { ...metadata.component, name: manifest.name } },
    components: [nodeJs(), ...components.filter((one) => packages.has(one['bom-ref'])).map(withoutPlace)],
    dependencies: dependencies
      .filter(({ ref }) => isBuiltIn(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter(isBuiltIn) })),
  };
  return `${JSON.stringify(whole, null, 2)}\n`;
}

/** With what is for development only: by `--omit=dev` npm leaves out what both need. */
async function wholeBill(root: string): Promise<BillOfMaterials> {
  const args = ['sbom', '--package-lock-only', '--sbom-format=cyclonedx', '--sbom-type=application'];
  // Which npm runs this script, it tells here; without one it is whichever is found.
  const npm = env['npm_execpath'];
  const [program, before] = npm === undefined ? ['npm', []] : [execPath, [npm]];
  const { stdout } = await run(program, [...before, ...args], { cwd: root, maxBuffer: MOST_BYTES });
  return JSON.parse(stdout);
}

function withoutPlace(component: Component): Component {
  const { externalReferences = [], ...rest } = component;
  return { ...rest, externalReferences: externalReferences.filter(({ type }) => type !== 'distribution') };
}

/** The one that runs this is the one of the lockfile, which the image has too. Scanners know it by its CPE. */
function nodeJs(): object {
  const number = version.slice(1);
  return {
    'bom-ref': `node@${number}`,
    type: 'platform',
    name: 'node',
    version: number,
    licenses: [{ license: { id: 'MIT' } }],
    cpe: `cpe:2.3:a:nodejs:node.js:${number}:*:*:*:*:*:*:*`,
    purl: `pkg:generic/node@${number}`,
  };
}
