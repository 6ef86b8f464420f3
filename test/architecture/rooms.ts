/** Which room may know what. */
import { isBuiltin } from 'node:module';
import { type Finding, type Import, type Source, targetOf } from './source.ts';

interface Room {
  /** `kube`: a room; `runtime/outcome.ts`: one file of it; `type:telemetry`: its types. */
  readonly may: readonly string[];
  /** Packages it may use; absent: all that are not reserved for another room. */
  readonly packages?: readonly string[];
  /** Modules of Node it may use; absent: all but `node:process`. */
  readonly builtins?: readonly string[];
  readonly because: string;
}

const partRooms = [
  'config',
  'schema',
  'domain',
  'kube',
  'runtime',
  'catalog',
  'reconcilers',
  'audit',
  'http',
  'telemetry',
];
const edge = ['catalog', 'domain', 'kube', 'runtime/outcome.ts', 'runtime/limiter.ts', 'schema', 'errors'];

/** The rooms with the arrows between them. A new room needs a decision record. */
export const rooms: Readonly<Record<string, Room>> = {
  main: {
    may: ['app', 'config', 'telemetry', 'errors'],
    because: 'the process only loads the configuration, starts the app and says how it ended',
  },
  app: {
    may: [...partRooms, 'errors'],
    because: 'the wiring builds every part, and nobody starts the process but main',
  },
  errors: { may: [], packages: [], builtins: [], because: 'a leaf that every room may import can need nothing itself' },
  config: { may: ['errors'], packages: ['zod'], because: 'settings know nothing of the parts that they set' },
  schema: {
    may: ['errors'],
    packages: ['zod'],
    builtins: ['node:crypto'],
    because: 'shapes are the bottom: everything else is made from them',
  },
  domain: {
    may: ['schema', 'errors'],
    packages: ['fast-json-patch', 're2js'],
    builtins: ['node:crypto'],
    because: 'rules are functions from values to a value, so that they can be read and tested alone',
  },
  kube: {
    may: ['schema', 'type:telemetry', 'errors'],
    because: 'talking to the API server needs shapes and no rules; clock and back-off are handed in',
  },
  runtime: {
    may: ['type:telemetry', 'errors'],
    packages: [],
    because: 'the engine knows no kind, so anything can run on it',
  },
  catalog: {
    may: ['kube', 'domain', 'schema', 'errors'],
    because: 'it says what the caches say together, and to whom is not its business',
  },
  reconcilers: {
    may: [...edge, 'type:telemetry'],
    because: 'reconcilers and the HTTP edge meet only in the cluster, and the engine is wired in app',
  },
  audit: {
    may: [...edge, 'type:telemetry'],
    because: 'history follows from objects; no door into the cluster may matter to it',
  },
  http: {
    may: [...edge, 'audit', 'type:telemetry'],
    because: 'reconcilers and the HTTP edge meet only in the cluster, and settings are passed as values',
  },
  telemetry: { may: ['errors'], because: 'everyone logs, so the logger can need nobody' },
};

/** Packages that exactly one room may know. */
const reserved: Readonly<Record<string, { readonly room: string; readonly because: string }>> = {
  '@kubernetes/client-node': { room: 'kube', because: 'the API server is talked to in one place' },
  express: { room: 'http', because: 'only the edge knows requests and responses' },
};

/** The files that touch the process itself. */
export function isProcess(path: string): boolean {
  return path === 'src/main.ts' || path === 'src/hear-signals.ts';
}

/** The room of a file; undefined: it is in none. */
export function roomOf(path: string): string | undefined {
  const [top, second = '', ...deeper] = path.split('/');
  if (top !== 'src') return undefined;
  if (second === 'app') return 'app';
  if (isProcess(path)) return 'main';
  if (deeper.length === 0) return ['app', 'errors'].find((room) => second === `${room}.ts`);
  return partRooms.find((room) => room === second);
}

/** Files in no room, and imports against the arrows. */
export function againstArrows(sources: readonly Source[]): Finding[] {
  return sources
    .filter(({ path }) => path.startsWith('src/'))
    .flatMap((source) => {
      const name = roomOf(source.path);
      const room = rooms[name ?? ''];
      if (name === undefined || room === undefined) return [inNoRoom(source.path)];
      return source.imports.flatMap((one) => wrongImport({ source, name, room }, one));
    });
}

function inNoRoom(path: string): Finding {
  return {
    path,
    line: 1,
    what: 'is in no room',
    because: 'a file that fits no room means the design is missing a word',
  };
}

interface Inhabitant {
  readonly source: Source;
  readonly name: string;
  readonly room: Room;
}

function wrongImport({ source, name, room }: Inhabitant, one: Import): Finding[] {
  const place = { path: source.path, line: one.line };
  const target = targetOf(source.path, one.specifier);
  const reservation = reserved[packageOf(one.specifier)];
  if (target === undefined && reservation !== undefined && reservation.room !== name) {
    return [{ ...place, what: `${name} may not import ${one.specifier}`, because: reservation.because }];
  }
  const allowed =
    target === undefined ? isAllowedModule(room, one.specifier) : isAllowedTarget({ name, room }, target, one);
  return allowed
    ? []
    : [{ ...place, what: `${name} may not import ${target ?? one.specifier}`, because: room.because }];
}

function packageOf(specifier: string): string {
  const [scope = '', name = ''] = specifier.split('/');
  return scope.startsWith('@') ? `${scope}/${name}` : scope;
}

function isAllowedModule({ packages, builtins }: Room, specifier: string): boolean {
  const allowed = isBuiltin(specifier) ? builtins : packages;
  return allowed === undefined || allowed.includes(packageOf(specifier));
}

function isAllowedTarget({ name, room }: Omit<Inhabitant, 'source'>, target: string, { typeOnly }: Import): boolean {
  // It says which version this is, and everyone else is told.
  if (target === 'package.json') return name === 'app';
  const there = roomOf(target);
  if (there === undefined) return false;
  const inRoom = target.slice('src/'.length);
  return (
    there === name ||
    room.may.includes(there) ||
    room.may.includes(inRoom) ||
    (typeOnly && room.may.includes(`type:${there}`))
  );
}
