/** Which folder may import which: the layers of src, and the folders inside them. */
import { isBuiltin } from 'node:module';
import { type Finding, type Import, type Source, targetOf } from './source.ts';

interface Layer {
  /**
   * Layers that this layer may import. `kube`: a layer; `audit/derive`: one folder of it; `runtime/outcome.ts`: one
   * file of it; `type:telemetry`: its types.
   */
  readonly may: readonly string[];
  /**
   * The folders of the layer from the lowest up. Each may import those before it; `.` stands for the layer's own files.
   * If absent, the layer has no folders.
   */
  readonly folders?: readonly string[];
  /** Packages that the layer may use. If absent, it may use all that are not reserved for another layer. */
  readonly packages?: readonly string[];
  /** Modules of Node.js that the layer may use. If absent, it may use all but `node:process`. */
  readonly builtins?: readonly string[];
  readonly because: string;
}

const ground = ['model', 'errors'];
const shapes = [...ground, 'schema', 'domain'];
const engine = [
  ...[
    'runtime/backoff.ts',
    'runtime/caller-writes.ts',
    'runtime/limiter.ts',
    'runtime/outcome.ts',
    'runtime/run-bounded.ts',
    'runtime/turns.ts',
  ],
  'type:telemetry',
];

/** Files of the command line that all of its folders may import. */
const GROUND_OF_CLI = ['terminal.ts', 'failure.ts', 'time.ts', 'plural.ts', 'confirm.ts'];

/** The layers with the arrows between them. A new one needs a decision record. */
export const layers: Readonly<Record<string, Layer>> = {
  main: {
    may: ['app', 'config', 'edge', 'telemetry', 'errors', 'model'],
    because:
      'the process only loads the configuration, starts the app and reports how it ended, with the text of errors',
  },
  app: {
    may: [
      ...shapes,
      ...[
        'config',
        'telemetry',
        'runtime',
        'kube',
        'catalog',
        'kinds',
        'access',
        'actions',
        'wire',
        'delivery',
        'audit',
        'usage',
        'http',
      ],
    ],
    because: 'the wiring builds every part, and only main starts the process',
  },
  errors: { may: [], packages: [], builtins: [], because: 'every layer imports it, so it imports none' },
  model: {
    may: ['errors'],
    folders: ['.', 'yaml', 'settings'],
    packages: ['zod', 'yaml'],
    builtins: ['node:crypto', 'node:net'],
    because: 'the ground shapes know no kind and no protocol',
  },
  config: { may: ground, packages: ['zod'], because: 'settings know nothing of the parts that they set' },
  schema: {
    may: ground,
    folders: ['fields', '.', 'structural'],
    packages: ['zod'],
    builtins: ['node:crypto'],
    because: 'everything else is made from the shapes of the kinds',
  },
  domain: {
    may: [...ground, 'schema', 'evaluation/operand.ts', 'evaluation/address.ts', 'evaluation/patterns.ts'],
    folders: [
      ...['history', 'identity', 'judgement', 'name-claims', 'people', 'strategy-type', 'segment'],
      ...['freeze', 'flag', 'project', 'approval', 'alerts', 'environment', 'usage', 'tokens', 'sink', 'state'],
    ],
    packages: ['fast-json-patch', '@marcbachmann/cel-js', 'ipaddr.js'],
    builtins: ['node:crypto', 'node:util'],
    because:
      'rules are functions from values to values, which can be read and tested alone; what SDKs cannot evaluate is not in effect',
  },
  evaluation: {
    may: ground,
    folders: ['.', 'contexts'],
    packages: ['re2js'],
    builtins: [],
    because:
      'what a flag is for a context follows from the document that SDKs read alone, so server, command line and tests share it; clock and randomness arrive as values',
  },
  wire: {
    may: [...shapes, 'evaluation'],
    folders: ['.', 'admin', 'client', 'playground', 'ofrep'],
    packages: ['zod'],
    builtins: ['node:crypto', 'node:util'],
    because: 'the shapes of a protocol follow from objects alone, so audit and every server can share them',
  },
  kube: {
    may: [...ground, 'schema', 'runtime/turns.ts', 'type:telemetry'],
    folders: ['object', 'api', 'cache', 'replay', 'write', '.'],
    because: 'talking to the API server needs shapes and no rules; clock and backoff arrive as values',
  },
  runtime: {
    may: [...ground, 'type:telemetry'],
    packages: ['p-limit', 'tinyqueue'],
    because: 'the engine knows no kind, so anything can run on it',
  },
  catalog: { may: [...shapes, 'kube'], because: 'lookups across kinds know neither callers nor writes' },
  delivery: {
    may: [...shapes, 'evaluation', 'catalog', 'wire', 'runtime/turns.ts'],
    packages: ['lru-cache'],
    builtins: [],
    because:
      'what SDKs read follows from the caches alone, so every replica delivers the same bytes; turns only let other work go on',
  },
  kinds: {
    may: [...shapes, ...engine, 'catalog', 'kube', 'audit/derive'],
    because:
      'reconcilers and the HTTP API meet only in the cluster, and the engine is wired in app; a kind says which audit events its changes are, so that it stands in one file',
  },
  access: {
    may: [...shapes, ...engine, 'catalog', 'kube'],
    folders: ['.', 'authorization', 'authentication', 'sessions', 'readable'],
    because: 'what a caller may do does not depend on the protocol of the call',
  },
  actions: {
    may: [...shapes, ...engine, 'access', 'catalog', 'kube'],
    because: 'use cases know no HTTP and no wire shape: the API, a console and a command line share them',
  },
  audit: {
    may: [...shapes, ...engine, 'wire', 'catalog', 'kube'],
    folders: ['archive', 'derive', 'record', 'export', 'log', 'publish', 'deliver', 'forget', '.'],
    because: 'history follows from objects, however they were written',
  },
  usage: {
    may: [...shapes, 'catalog', 'audit/archive'],
    packages: ['kysely'],
    builtins: [],
    because:
      'what SDKs report is stored beside the history and read by answers alone: it is no input to what is in effect (ADR 46)',
  },
  http: {
    may: [
      ...shapes,
      ...engine,
      'access',
      'actions',
      'wire',
      'delivery',
      'audit',
      'usage',
      'catalog',
      'kube',
      'type:config',
    ],
    folders: ['server', 'pages', 'console', 'route', 'routes', '.'],
    because: 'reconcilers and the HTTP API meet only in the cluster, and settings arrive as one value, the Config',
  },
  edge: {
    may: [
      ...[...shapes, 'evaluation', 'wire', 'delivery', 'http', 'telemetry', 'runtime', 'type:access', 'type:usage'],
      ...[
        'access/authentication/authenticate.ts',
        'access/authentication/failed-sign-ins.ts',
        'access/authentication/stream-keys.ts',
      ],
      ...['usage/applications.ts', 'usage/counters.ts', 'config/unknown-names.ts'],
    ],
    folders: ['upstream', '.'],
    because: 'the edge serves flags where no cluster is, with the evaluator and the endpoints of the operator (ADR 66)',
  },
  telemetry: {
    may: ground,
    folders: ['.', 'open-telemetry'],
    because: 'everything logs, so the logger imports no part',
  },
  cli: {
    may: [
      ...[...shapes, 'evaluation', 'wire', 'catalog', 'kinds', 'kube', 'edge'],
      ...[
        'app/no-fast-api-calls.ts',
        'runtime/run-bounded.ts',
        'delivery/catalog-origin.ts',
        'delivery/change-effects.ts',
        'delivery/request-effects.ts',
        'delivery/evaluations.ts',
        'delivery/explanations.ts',
      ],
    ],
    folders: [
      ...[
        ...GROUND_OF_CLI,
        'manifests',
        'files',
        'connection',
        'flags',
        'lint',
        'report',
        'plan',
        'requests',
        'evaluate',
      ],
      ...[
        'cases',
        'compare',
        'past',
        'verify',
        'sinks',
        'check',
        'import',
        'export',
        'mcp',
        'completion',
        'commands',
        '.',
      ],
    ],
    packages: [
      ...[
        '@marcbachmann/cel-js',
        '@modelcontextprotocol/sdk',
        'ajv',
        'ajv-formats',
        'commander',
        're2js',
        'yaml',
        'zod',
      ],
    ],
    because:
      'the command line judges and evaluates manifests with the registry of kinds and the evaluator of the operator, reads clusters with the credentials of kubectl, and writes through the API alone (ADR 51)',
  },
};

/** Packages that exactly one layer may use. */
const reserved: Readonly<Record<string, { readonly layer: string; readonly because: string }>> = {
  '@kubernetes/client-node': { layer: 'kube', because: 'the API server is talked to in one place' },
  express: { layer: 'http', because: 'only HTTP knows requests and responses' },
};

/** Whether the file may use `process`. */
export function isProcess(path: string): boolean {
  return ['src/main.ts', 'src/edge.ts', 'src/catch-signals.ts', 'cli/main.ts', 'cli/start.ts'].includes(path);
}

/** The layer of a file; undefined if the file is in no layer. */
export function layerOf(path: string): string | undefined {
  const [top, second = '', ...deeper] = path.split('/');
  if (top === 'cli') return 'cli';
  if (top !== 'src') return undefined;
  if (isProcess(path)) return 'main';
  const name = deeper.length === 0 ? second.replace(/\.ts$/, '') : second;
  const isFile = ['app', 'errors'].includes(name);
  return Object.hasOwn(layers, name) && (deeper.length > 0 ? name !== 'errors' : isFile) ? name : undefined;
}

/** Files in no layer, and imports against the arrows. */
export function againstArrows(sources: readonly Source[]): Finding[] {
  return sources
    .filter(({ path }) => /^(src|cli)\//.test(path))
    .flatMap((source) => {
      const name = layerOf(source.path);
      const layer = layers[name ?? ''];
      if (name === undefined || layer === undefined) return [inNoLayer(source.path)];
      return source.imports.flatMap((one) => wrongImport({ source, name, layer }, one));
    });
}

function inNoLayer(path: string): Finding {
  return { path, line: 1, what: 'is in no layer', because: 'a new layer needs a decision record' };
}

interface Member {
  readonly source: Source;
  readonly name: string;
  readonly layer: Layer;
}

function wrongImport({ source, name, layer }: Member, one: Import): Finding[] {
  const { path } = source;
  const place = { path, line: one.line };
  const target = targetOf(path, one.specifier);
  const reservation = reserved[packageOf(one.specifier)];
  if (target === undefined && reservation !== undefined && reservation.layer !== name) {
    return [{ ...place, what: `${name} may not import ${one.specifier}`, because: reservation.because }];
  }
  if (target === undefined) {
    return isAllowedModule(layer, one.specifier)
      ? []
      : [{ ...place, what: `${name} may not import ${one.specifier}`, because: layer.because }];
  }
  if (layerOf(target) === name) return wrongFolder({ source, name, layer }, target, place);
  return isAllowedTarget({ name, layer }, target, one)
    ? []
    : [{ ...place, what: `${name} may not import ${target}`, because: layer.because }];
}

/** The folder of a file inside its layer, `.` for a file of the layer itself. */
function folderOf(path: string): string {
  const [top, second = '', ...below] = path.split('/');
  const [folder = '', ...deeper] = top === 'cli' ? [second, ...below] : below;
  if (top === 'cli' && GROUND_OF_CLI.includes(folder)) return folder;
  return deeper.length === 0 ? '.' : folder;
}

function wrongFolder(
  { source, name, layer }: Member,
  target: string,
  place: { path: string; line: number },
): Finding[] {
  const { folders = ['.'] } = layer;
  const [from, to] = [folderOf(source.path), folderOf(target)];
  const order = folders.join(', ');
  const because = `the folders of ${name} build on each other: ${order}`;
  // The wiring has no order of its own.
  if (name === 'app' || name === 'main') return [];
  if (!folders.includes(from)) return [{ ...place, what: `is in ${name}/${from}, which is not in the table`, because }];
  return folders.indexOf(to) <= folders.indexOf(from) && folders.includes(to)
    ? []
    : [{ ...place, what: `${name}/${from} may not import ${target}`, because }];
}

function packageOf(specifier: string): string {
  const [scope = '', name = ''] = specifier.split('/');
  return scope.startsWith('@') ? `${scope}/${name}` : scope;
}

function isAllowedModule({ packages, builtins }: Layer, specifier: string): boolean {
  const allowed = isBuiltin(specifier) ? builtins : packages;
  return allowed === undefined || allowed.includes(packageOf(specifier));
}

function isAllowedTarget({ name, layer }: Omit<Member, 'source'>, target: string, { typeOnly }: Import): boolean {
  // The wiring and the command line read the version from package.json.
  if (target === 'package.json') return name === 'app' || name === 'cli';
  const there = layerOf(target);
  if (there === undefined) return false;
  const inLayer = target.slice('src/'.length);
  const isInFolder = layer.may.some((one) => one.includes('/') && inLayer.startsWith(`${one}/`));
  return (
    layer.may.includes(there) ||
    layer.may.includes(inLayer) ||
    isInFolder ||
    (typeOnly && layer.may.includes(`type:${there}`))
  );
}
