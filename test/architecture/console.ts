/** What the console may import. */
import { type Finding, type Source, targetOf } from './source.ts';

const PACKAGES = [
  'react',
  'react-dom/client',
  '@tanstack/react-query',
  'wouter',
  'wouter/use-browser-location',
  'openapi-fetch',
];

/** Imports of the console that lead out of it, or to another package. */
export function outsideConsole(sources: readonly Source[]): Finding[] {
  const because = 'the console knows the API by its generated types alone, and each package is sent to every browser';
  return sources
    .filter(({ path }) => path.startsWith('console/'))
    .flatMap(({ path, imports }) =>
      imports
        .filter(({ specifier }) => {
          const target = targetOf(path, specifier);
          return target === undefined ? !PACKAGES.includes(specifier) : !target.startsWith('console/src/');
        })
        .map(({ specifier, line }) => ({ path, line, what: `imports ${specifier}`, because })),
    );
}
