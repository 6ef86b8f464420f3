/** The rules about names, with code that breaks them. */
import { repeatedExports, repeatedTypes, retiredNames } from './names.ts';
import { type Rule, src } from './rule.ts';

export const nameRules: Readonly<Record<string, Rule>> = {
  'names use the terms of the field': {
    find: retiredNames,
    breaches: [
      src('kube/a.ts', 'export interface ToldEvent {}'),
      src('kube/a.ts', 'const nobody = 1;'),
      src('kube/a.ts', 'go({ waysOut: 1 });'),
      src('kube/a.ts', 'function askers() {}'),
      src('kube/a.ts', 'function go(heldFields: number) {}'),
      src('kube/a.ts', 'const MOST_TAGS = 1; MOST_TAGS;'),
      src('kube/a.ts', 'const longestName = 1;'),
      { 'scripts/a.ts': 'function coOwn() {}' },
      { 'test/unit/a.test.ts': 'const TELL_AGAIN_MS = 1;' },
    ],
    innocent: [
      src('kube/a.ts', "const tolled = 'told'; const atMostOnce = 1; const longest = 1; wake(); // nobody"),
      src('kube/a.ts', 'const mostRecentChange = 1; const doorway = 1; const withheld = 1;'),
    ],
  },
  'an exported name exists once': {
    find: repeatedExports,
    breaches: [
      { 'src/kube/a.ts': 'export const a = 1;', 'src/http/b.ts': 'export function a() {}' },
      { 'src/kube/a.ts': 'export interface Page {}', 'src/http/b.ts': 'export type Page = 1;' },
    ],
    innocent: [
      { 'src/kube/a.ts': 'export const a = 1;', 'src/http/b.ts': 'const a = 1;', 'test/c.ts': 'export const a = 1;' },
      {
        'src/kube/a.ts': 'export const a = 1;',
        'src/http/b.ts': "export { a } from '../kube/a.ts';\nexport const b = 1;",
      },
      src('kube/a.ts', 'export function a(b: string): void;\nexport function a(b: number): void {}'),
    ],
  },
  'a type that is not exported has a name of its own': {
    find: repeatedTypes,
    breaches: [
      { 'src/kube/a.ts': 'export interface Page {}', 'src/http/b.ts': 'type Page = 1;' },
      { 'src/kube/a.ts': 'export type Page = 1;', 'cli/b.ts': 'interface Page {}' },
      { 'src/kube/a.ts': 'export class Page {}', 'console/src/b.tsx': 'interface Page {}' },
      { 'cli/a.ts': 'export interface Page {}', 'cli/b.ts': 'class Page {}' },
    ],
    innocent: [
      { 'src/kube/a.ts': 'interface Page {}', 'src/http/b.ts': 'interface Page {}' },
      { 'cli/a.ts': 'export interface Page {}', 'src/http/b.ts': 'interface Page {}' },
      { 'cli/a.ts': 'export interface Page {}', 'console/src/b.tsx': 'interface Page {}' },
      { 'src/kube/a.ts': 'export interface Page {}', 'test/a.ts': 'interface Page {}' },
      { 'src/kube/a.ts': 'export const Page = 1;', 'src/http/b.ts': 'interface Page {}' },
      { 'src/kube/a.ts': 'export interface Page {}', 'console/src/a.generated.ts': 'interface Page {}' },
      { 'src/kube/a.ts': 'export interface Page {}', 'src/http/b.ts': 'interface Paged {}' },
    ],
  },
};
