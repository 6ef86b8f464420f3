/** Reads a context from the command line. */
import { InvalidArgumentError } from 'commander';

export type GivenContext = Readonly<Record<string, string>>;

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
