/** The content that the last stage of a Dockerfile puts into an image, for builds that do not use the Dockerfile. */

export interface ImagePlan {
  /** A file or folder of the project, and its path in the image. */
  readonly files: readonly { readonly source: string; readonly target: string }[];
  readonly environment: readonly string[];
  readonly labels: readonly string[];
  readonly ports: readonly string[];
  readonly workdir: string;
  readonly user: string;
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
}

/** The folder of the project in the build stage. */
const SOURCES = '/src/';
/** The libraries that a program is linked with. A program copied from this machine finds them here. */
const LIBRARIES = '--from=build /libraries /usr/lib';

interface Instruction {
  readonly name: string;
  readonly rest: string;
}

/** Reads a Dockerfile. `args` are build arguments. Refuses every instruction that it does not know. */
export function readDockerfile(text: string, args: Readonly<Record<string, string>> = {}): ImagePlan {
  const instructions = instructionsOf(text);
  const last = instructions.findLastIndex(({ name }) => name === 'FROM');
  const stage = instructions.slice(last + 1);
  const known = ['ARG', 'LABEL', 'COPY', 'ENV', 'WORKDIR', 'USER', 'EXPOSE', 'ENTRYPOINT', 'CMD'];
  for (const { name } of stage) {
    if (!known.includes(name))
      throw new Error(`the last stage of the Dockerfile has ${name}, which has no meaning here`);
  }
  const rests = (wanted: string) => stage.filter(({ name }) => name === wanted).map(({ rest }) => rest);
  const words = (wanted: string) => rests(wanted).flatMap((rest) => wordsOf(rest));
  const lastOf = (wanted: string, otherwise: string) => rests(wanted).at(-1) ?? otherwise;
  const values = { ...defaultsOf(rests('ARG')), ...args };
  return {
    files: rests('COPY')
      .filter((rest) => rest !== LIBRARIES)
      .map(copied),
    environment: words('ENV'),
    labels: words('LABEL').map((label) => withValues(label, values)),
    ports: words('EXPOSE'),
    workdir: lastOf('WORKDIR', '/'),
    user: lastOf('USER', ''),
    entrypoint: JSON.parse(lastOf('ENTRYPOINT', '[]')),
    command: JSON.parse(lastOf('CMD', '[]')),
  };
}

function instructionsOf(text: string): readonly Instruction[] {
  const lines = text.split('\n').filter((line) => !line.startsWith('#'));
  return lines
    .join('\n')
    .replaceAll(/\\\n\s*/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [name = '', ...rest] = line.trim().split(/\s+/);
      return { name: name.toUpperCase(), rest: rest.join(' ') };
    });
}

/** Splits a line into words: `a="b c" d=e` is two words, without the quotes. */
function wordsOf(rest: string): readonly string[] {
  return (rest.match(/(?:"[^"]*"|[^\s"])+/g) ?? []).map((word) => word.replaceAll('"', ''));
}

function defaultsOf(args: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(args.map((arg) => arg.split('=', 2)).map(([name = '', value = '']) => [name, value]));
}

function withValues(text: string, values: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\$\{(\w+)\}/g, (_, name: string) => values[name] ?? '');
}

function copied(rest: string): ImagePlan['files'][number] {
  const [from = '', source = '', target = '', ...more] = rest.split(' ');
  if (from !== '--from=build' || !source.startsWith(SOURCES) || target === '' || more.length > 0) {
    throw new Error(
      `the last stage of the Dockerfile has "COPY ${rest}": only "--from=build ${SOURCES}… TARGET" is read`,
    );
  }
  return { source: source.slice(SOURCES.length), target };
}
