/** The parts of the process that commands use. */

export interface Terminal {
  readonly version: string;
  readonly isColoured: boolean;
  /** Ms since 1970. */
  readonly now: () => number;
  /** The environment variables. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Reads all of standard input as text. */
  readonly standardInput: () => Promise<string>;
  /** Asks the person at the terminal; undefined if there is none. */
  readonly ask: ((question: string) => Promise<string>) | undefined;
  readonly write: (text: string) => void;
  /** Writes notes that are not part of the result, such as warnings of a server. */
  readonly writeError: (text: string) => void;
  /** Sets the status that the process ends with. */
  readonly exit: (status: number) => void;
  /** The listener is called for each signal that asks the process to stop, which then does not end by itself. */
  readonly onStop: (listener: (signal: string) => void) => void;
  /** Ends the process at once. */
  readonly end: (status: number) => void;
}

/** The exit statuses of the process; those from 64 to 78 follow sysexits(3). */
export const EXIT = {
  ok: 0,
  findings: 1,
  changes: 2,
  usage: 64,
  noInput: 66,
  unavailable: 69,
  software: 70,
  noPermission: 77,
  interrupted: 130,
} as const;

/** The meaning of each exit status, for the documentation. */
export const exitMeanings: Readonly<Record<keyof typeof EXIT, string>> = {
  ok: 'The command did what it says. `plan`: there is nothing to change.',
  findings:
    '`lint`, `check`: there are errors. `plan`: an object is rejected, or another manager owns a field. `restore`: an object is rejected or has a field of a GitOps tool. `history verify`: a row or a link is not as it was recorded. `on`, `off`, `ramp`, `promote` and `archive`: the server refuses the change, or the answer is no.',
  changes: '`plan`: there are changes. `diff`: flags differ.',
  usage: 'The command line is wrong. `archive` and `restore`: there is no terminal, and no `--yes`.',
  noInput: 'A file, a flag or a context is not there, or cannot be read.',
  unavailable:
    'The cluster or the server of Vexil cannot be reached, or cannot answer at the moment. Or Node.js is too old.',
  software: 'A bug of this program.',
  noPermission:
    'The credentials are not accepted, or do not suffice. `check`: there is no error, but something could not be read.',
  interrupted: 'The command was interrupted, for example by Ctrl-C.',
};

/**
 * Replaces control characters in texts of others, because they could move the cursor, change colours or turn the
 * direction of the text, and spoils commands to a runner of continuous integration. Line ends stay.
 */
export function printable(text: string): string {
  return withoutCommands(text.replace(/[^\P{Cc}\n]|\p{Bidi_Control}/gu, '?'));
}

/** GitHub and Azure read `::name::` at the beginning of a line, `##[name]` and `##vso[name]` anywhere. */
function withoutCommands(text: string): string {
  return text.replaceAll(/^([^\S\n\u2028\u2029]*):(?=:[a-z-]+.*::)/gim, '$1?').replaceAll(/#(?=#(?:vso)?\[)/gi, '?');
}

/** Also replaces line ends, because what follows them could look like a line of Vexil. */
export function printableLine(text: string): string {
  return withoutCommands(text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, '?'));
}

/** Each text is one line, although it may have words of others. */
export function printableLines(texts: readonly string[]): string {
  return texts.map((text) => `${printableLine(text)}\n`).join('');
}

/** JSON for programs. */
export function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** A terminal for a program whose definition is read but which does not run. */
export const silentTerminal: Terminal = {
  version: 'VERSION',
  isColoured: false,
  now: () => 0,
  environment: {},
  standardInput: () => Promise.resolve(''),
  ask: undefined,
  write: () => undefined,
  writeError: () => undefined,
  exit: () => undefined,
  onStop: () => undefined,
  end: () => undefined,
};
