/** Options of commands that read manifests, or evaluate flags. */
import { Option } from 'commander';
import { collect } from './collect.ts';

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
