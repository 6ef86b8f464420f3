/** The bundle of the Operator Lifecycle Manager, checked by the validator of the Operator Framework. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { OLM_BEFORE, olmBundle } from '../../scripts/release/olm-bundle.ts';
import { renderInstall } from '../../scripts/release/rendered-install.ts';
import { type Finished, runProgram } from '../../scripts/tools/run-program.ts';
import type { Stored } from '../support/stored.ts';
import { manifestsIn } from '../support/tools/helm.ts';
import { modulePrograms } from '../support/tools/module-programs.ts';

const PROJECT = fileURLToPath(new URL('../..', import.meta.url));
const IMAGE = `registry.example.com/team/vexil@sha256:${'a'.repeat(64)}`;

const VERSION_FILE = 'manifests/vexil.clusterserviceversion.yaml';

let folder: string;
let bundle: ReadonlyMap<string, string>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vexil-bundle-'));
  bundle = olmBundle(await renderInstall(PROJECT, 'install.yaml', IMAGE));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function validate(name: string, change = (text: string) => text): Promise<Finished> {
  const target = join(folder, name);
  for (const [path, text] of bundle) {
    if (path === OLM_BEFORE) continue;
    await mkdir(dirname(join(target, path)), { recursive: true });
    await writeFile(join(target, path), path === VERSION_FILE ? change(text) : text);
  }
  const programs = await modulePrograms({
    module: 'github.com/operator-framework/api',
    folder: 'olm',
    programs: ['operator-verify'],
    instead: 'leave out the test of the bundle',
  });
  return runProgram(join(programs, 'operator-verify'), ['manifests', '--object_validate', target]);
}

/** The validator ends with 0 also if it has found errors. */
const errorsOf = ({ stderr }: Finished) => stderr.match(/level=(?:error|fatal).*/g) ?? [];

test('the validator finds no error, and finds one in a bundle that is broken', async () => {
  expect(errorsOf(await validate('whole'))).toEqual([]);
  const broken = await validate('broken', (text) => text.replace('supported: true', 'supported: false'));
  expect(errorsOf(broken)).toEqual([expect.stringContaining('none of InstallModeTypes are supported')]);
});

test('the bundle owns each version of the CRDs that it has', () => {
  const [version] = manifestsIn(bundle.get(VERSION_FILE) ?? '') as [Stored];
  const owned = version.spec.customresourcedefinitions.owned.map((one: Stored) => `${one.name} ${one.version}`);
  const files = [...bundle.keys()].filter((path) => path.endsWith('.customresourcedefinition.yaml'));
  const served = files.flatMap((path) => {
    const [definition] = manifestsIn(bundle.get(path) ?? '') as [Stored];
    return definition.spec.versions.map(({ name }: { name: string }) => `${definition.metadata.name} ${name}`);
  });
  expect(files.length).toBeGreaterThan(0);
  expect(owned.toSorted()).toEqual(served.toSorted());
});

test('the file before it has what the lifecycle manager does not create, and the operator keeps its permissions', () => {
  const [version] = manifestsIn(bundle.get(VERSION_FILE) ?? '') as [Stored];
  const { permissions, clusterPermissions, deployments } = version.spec.install.spec;
  expect(deployments[0].spec.template.spec.containers[0].image).toBe(IMAGE);
  expect(permissions[0].rules).toContainEqual({
    apiGroups: ['vexil.dev'],
    resources: ['flagusers'],
    verbs: ['list', 'watch'],
  });
  expect(clusterPermissions[0].rules.map(({ resources }: { resources: string[] }) => resources[0])).toEqual([
    'tokenreviews',
    'subjectaccessreviews',
  ]);
  const kinds = new Set(manifestsIn(bundle.get(OLM_BEFORE) ?? '').map(({ kind }) => kind));
  expect([...kinds].toSorted()).toEqual([
    'MutatingAdmissionPolicy',
    'MutatingAdmissionPolicyBinding',
    'Namespace',
    'PersistentVolumeClaim',
    'ValidatingAdmissionPolicy',
    'ValidatingAdmissionPolicyBinding',
  ]);
});
