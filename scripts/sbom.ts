/** Generates the bill of materials of the build: the bundled packages, as npm lists them, and Node.js. */
import { execFile } from 'node:child_process';
import { env, execPath, version } from 'node:process';
import { promisify } from 'node:util';
import manifest from '../package.json' with { type: 'json' };

const run = promisify(execFile);
const MAX_BYTES = 64 * 1024 * 1024;

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
 * Returns CycloneDX JSON; `packages` are `name@version`. The output is reproducible for a lockfile: no time, no serial
 * number, no download location.
 */
export async function billOfMaterials(root: string, packages: ReadonlySet<string>): Promise<string> {
  const { serialNumber: _, metadata, components, dependencies, ...rest } = await wholeBill(root);
  const { timestamp: __, ...reproducible } = metadata;
  const known = new Set(components.map((component) => component['bom-ref']));
  const unknown = [...packages].filter((name) => !known.has(name));
  if (unknown.length > 0) throw new Error(`the lockfile lacks bundled packages: ${unknown.join(', ')}`);
  const isBuiltIn = (ref: string) => packages.has(ref) || ref === metadata.component['bom-ref'];
  const whole = {
    ...rest,
    // npm uses the name of the folder instead.
    metadata: { ...reproducible, component: { ...metadata.component, name: manifest.name } },
    components: [nodeJs(), ...components.filter((one) => packages.has(one['bom-ref'])).map(withoutPlace)],
    dependencies: dependencies
      .filter(({ ref }) => isBuiltIn(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter(isBuiltIn) })),
  };
  return `${JSON.stringify(whole, null, 2)}\n`;
}

/** Includes development packages: `--omit=dev` would also drop packages that both need. */
async function wholeBill(root: string): Promise<BillOfMaterials> {
  const args = ['sbom', '--package-lock-only', '--sbom-format=cyclonedx', '--sbom-type=application'];
  // The npm that runs this script sets the variable; otherwise use the npm on the path.
  const npm = env['npm_execpath'];
  const [program, before] = npm === undefined ? ['npm', []] : [execPath, [npm]];
  const { stdout } = await run(program, [...before, ...args], { cwd: root, maxBuffer: MAX_BYTES });
  return JSON.parse(stdout);
}

function withoutPlace(component: Component): Component {
  const { externalReferences = [], ...rest } = component;
  return { ...rest, externalReferences: externalReferences.filter(({ type }) => type !== 'distribution') };
}

/** The running Node.js, which is the one of the lockfile and of the image. Scanners identify it by its CPE. */
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
