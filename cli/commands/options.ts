/** Options that several commands have. */
import { type Command, InvalidArgumentError, Option } from 'commander';

/** Collects the values of an option that may be repeated. */
export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

type GivenContext = Readonly<Record<string, string>>;

/** Parses `userId=7,country=SE`; `\,` is a comma. Repeated options are merged. */
export function collectContext(value: string, before: GivenContext = {}): GivenContext {
  const pairs = value.split(/(?<!\\),/).map((part) => {
    const [, name, text] = /^\s*([^=\s][^=]*)=(.*)$/s.exec(part.replaceAll('\\,', ',')) ?? [];
    if (name === undefined || text === undefined)
      throw new InvalidArgumentError(`"${part}" is not NAME=VALUE, as in userId=7,country=SE.`);
    return [name, text] as const;
  });
  return { ...before, ...Object.fromEntries(pairs) };
}

/** Returns a parser of numbers from 1. */
export function wholeNumber(max: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (Number.isInteger(number) && number >= 1 && number <= max) return number;
    const limit = Number.isFinite(max) ? ` to ${max}` : '';
    throw new InvalidArgumentError(`It must be a whole number from 1${limit}.`);
  };
}

export function manifestsOption(): Option {
  const description = 'files and folders with YAML or JSON, - for standard input; may be repeated';
  return new Option('-f, --filename <path>', description).argParser(collect).makeOptionMandatory();
}

/** `what` describes how the command uses the time. */
export function timeOption(what: string): Option {
  return new Option('--at <time>', `${what}; with a zone, as 2026-12-01T08:00:00Z (default: now)`);
}

export function namespaceOption(): Option {
  return new Option('-n, --namespace <name>', 'the namespace of objects that name none').default('default');
}

export function withProtection(command: Command): Command {
  const names = new Option('--protected-managers <names>', 'the setting VEXIL_PROTECTED_MANAGERS of the operator');
  return command.addOption(names.env('VEXIL_PROTECTED_MANAGERS'));
}
