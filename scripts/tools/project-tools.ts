/** The programs for chart and workflows: pinned versions of helm, kubeconform and actionlint. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildPrograms, type GoProgram } from './go-build.ts';
import { pinnedGo, pinnedVersion } from './pins.ts';
import { currentPlatform } from './platform.ts';
import { type Fill, missingIn, prepareFolder } from './prepared-folder.ts';
import { type Say, sayOnStderr } from './progress.ts';

const PROJECT = fileURLToPath(new URL('../..', import.meta.url));
const HELM = 'helm.sh/helm/v4';
const KUBECONFORM = 'github.com/yannh/kubeconform';
const ACTIONLINT = 'github.com/rhysd/actionlint';
const PROGRAMS = ['helm', 'kubeconform', 'actionlint'];

/** The paths of the programs. */
export interface Tools {
  readonly helm: string;
  readonly kubeconform: string;
  readonly actionlint: string;
}

export interface ProjectToolsOptions {
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly cache?: string;
  readonly say?: Say;
}

/** Finds the programs in the folder that VEXIL_TOOLS names; otherwise in the cache, where they are built once. */
export async function projectTools({
  environment = process.env,
  cache = join(PROJECT, '.cache/tools'),
  say = sayOnStderr,
}: ProjectToolsOptions = {}): Promise<Tools> {
  const given = environment['VEXIL_TOOLS'];
  if (given) {
    const missing = await missingIn(given, PROGRAMS);
    if (missing.length > 0) throw new Error(`VEXIL_TOOLS=${given} has no program ${missing.join(', ')}`);
    return toolsIn(given);
  }
  const modules = join(PROJECT, 'test/tools');
  const goMod = await readFile(join(modules, 'go.mod'), 'utf8');
  const [helm, kubeconform, actionlint] = [HELM, KUBECONFORM, ACTIONLINT].map((name) => pinnedVersion(goMod, name)) as [
    string,
    string,
    string,
  ];
  const { os, arch } = currentPlatform();
  const version = `helm-${helm}-kubeconform-${kubeconform}-actionlint-${actionlint}-${os}-${arch}`;
  const without = {
    what: 'The tools for chart and workflows have',
    instead: `name a folder that holds ${PROGRAMS.join(', ')} in VEXIL_TOOLS`,
  };
  const programs = programsOf(helm, kubeconform);
  const fill: Fill = (folder) => buildPrograms(folder, { modules, programs, go: pinnedGo(goMod), without, say });
  return toolsIn(await prepareFolder({ cache, version, programs: PROGRAMS, fill, say }));
}

function programsOf(helm: string, kubeconform: string): GoProgram[] {
  return [
    {
      name: 'helm',
      module: `${HELM}/cmd/helm`,
      linkerFlags: `-s -w -X ${HELM}/internal/version.version=v${helm}`,
    },
    {
      name: 'kubeconform',
      module: `${KUBECONFORM}/cmd/kubeconform`,
      linkerFlags: `-s -w -X main.version=v${kubeconform}`,
    },
    { name: 'actionlint', module: `${ACTIONLINT}/cmd/actionlint`, linkerFlags: '-s -w' },
  ];
}

function toolsIn(folder: string): Tools {
  const [helm, kubeconform, actionlint] = PROGRAMS.map((name) => join(folder, name)) as [string, string, string];
  return { helm, kubeconform, actionlint };
}
