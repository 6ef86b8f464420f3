/**
 * `make release`: makes a release and prints what it would publish. With `--publish yes` it also pushes image and
 * charts, and signs them. Needs the output of `npm run build`. Arguments: `--version 1.2.3`, `--registry HOST/FOLDER`,
 * `--key FILE`, a private key of cosign.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exit, stderr, stdout } from 'node:process';
import { parseArgs } from 'node:util';
import { type Commit, presentCommit } from '../image/origin.ts';
import { releaseNotes } from '../release-notes.ts';
import { openRegistry, publish } from './publish.ts';
import { makeRelease, type Published, type Release } from './release.ts';

const root = join(import.meta.dirname, '../..');
const REGISTRY = /^[a-z0-9][a-z0-9.-]*(?::\d+)?(?:\/[a-z0-9]+(?:[._-][a-z0-9]+)*)+$/;
const say = (line: string) => void stdout.write(`${line}\n`);

const { values } = parseArgs({
  options: {
    version: { type: 'string', default: '' },
    registry: { type: 'string', default: '' },
    publish: { type: 'string', default: 'no' },
    key: { type: 'string' },
  },
});

/** What is wrong with the arguments. */
function complaints({ version, registry, publish: wanted }: typeof values, commit: Commit): readonly string[] {
  const present = commit.origin.version;
  return [
    ...(version === present
      ? []
      : [`VERSION is "${version}", and package.json has ${present}: write VERSION=${present}`]),
    ...(REGISTRY.test(registry)
      ? []
      : [`REGISTRY is "${registry}": write the host and the folder of images, such as registry.example.com/team`]),
    ...(wanted === 'yes' || wanted === 'no' ? [] : [`PUBLISH is "${wanted}": it is "yes" or "no"`]),
  ];
}

/** Why the present sources cannot be published. */
function obstacles({ isClean, origin }: Commit, changelog: string): readonly string[] {
  const notes = () => void releaseNotes(changelog, origin.version);
  return [...(isClean ? [] : ['files differ from the commit: commit or undo the changes']), ...messageOf(notes)];
}

function messageOf(act: () => void): readonly string[] {
  try {
    act();
    return [];
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}

async function describe({ image, charts, version, files }: Release): Promise<void> {
  const row = ({ name, digest, bytes }: Published) => `  ${name}:${version}  ${digest}  ${(bytes / 1e6).toFixed(2)} MB`;
  say('image, for linux/amd64 and linux/arm64, with bills of materials and provenance:');
  say(row(image));
  say('charts:');
  for (const chart of charts) say(row(chart));
  say(`files, in ${files}:`);
  say((await readFile(join(files, 'SHA256SUMS'), 'utf8')).replaceAll(/^(?=.)/gm, '  ').trimEnd());
}

async function main(): Promise<number> {
  const commit = await presentCommit(root);
  const isForReal = values.publish === 'yes';
  const against = obstacles(commit, await readFile(join(root, 'CHANGELOG.md'), 'utf8'));
  const wrong = [...complaints(values, commit), ...(isForReal ? against : [])];
  for (const line of wrong) stderr.write(`${line}\n`);
  if (wrong.length > 0) return 2;
  const { registry } = values;
  // A wrong password is found before minutes of work.
  const access = isForReal ? await openRegistry(registry) : undefined;
  try {
    const release = await makeRelease({ root, registry, commit, withNotes: against.length === 0 });
    await describe(release);
    if (access !== undefined) await publish({ release, access, say, ...keyOf(values) });
    else for (const line of dryRun(against)) say(line);
  } finally {
    await access?.close();
  }
  return 0;
}

function keyOf({ key }: typeof values): { readonly key?: string } {
  return key === undefined ? {} : { key };
}

function dryRun(against: readonly string[]): readonly string[] {
  return [
    'Nothing was published. PUBLISH=yes publishes this.',
    ...against.map((line) => `PUBLISH=yes refuses: ${line}`),
  ];
}

exit(
  await main().catch((error: unknown) => {
    stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  }),
);
