/** The fields of a manifest that a change touches, with their owners. */
import type { Schemas } from '../../api.generated.ts';
import { differenceOf, linesOf } from './difference.ts';

export interface TouchedField {
  readonly path: string;
  /** Empty if the field is new, or no manager owns it. */
  readonly owners: readonly Schemas['FieldOwner'][];
  readonly protected: boolean;
}

interface Level {
  readonly indent: number;
  readonly path: string;
  /** Whether everything below is one field: a list, or a text of several lines. */
  readonly isWhole: boolean;
}

/** A key of YAML as Vexil writes it: plain or in quotes, then a value or nothing. */
const KEY = /^ *(?:"((?:[^"\\]|\\.)*)"|'((?:[^']|'')*)'|([^\s"'[{].*?)):(?: (.*))?$/;
const PLAIN = /^[\w-]+$/;

/** Returns the path of the field for each line of a manifest; undefined for a line that only opens a map. */
export function pathsOfLines(manifest: string): readonly (string | undefined)[] {
  const levels: Level[] = [];
  return linesOf(manifest).map((line) => {
    const indent = line.search(/\S/);
    while (indent >= 0 && (levels.at(-1)?.indent ?? -1) >= indent) levels.pop();
    const { path: parent = '', isWhole = false } = levels.at(-1) ?? {};
    if (isWhole || indent < 0) return parent;
    if (!line.startsWith('- ', indent)) return enterKey(levels, { line, indent, parent });
    levels.push({ indent, path: parent, isWhole: true });
    return parent;
  });
}

interface KeyLine {
  readonly line: string;
  readonly indent: number;
  readonly parent: string;
}

function enterKey(levels: Level[], { line, indent, parent }: KeyLine): string | undefined {
  const [, double, single, plain = '', value] = KEY.exec(line) ?? [];
  const path = parent + elementOf(double ?? single?.replaceAll("''", "'") ?? plain, parent === '');
  levels.push({ indent, path, isWhole: /^[|>]/.test(value ?? '') });
  return value === undefined || value === '{}' ? undefined : path;
}

function elementOf(key: string, isFirst: boolean): string {
  if (!PLAIN.test(key)) return `[${JSON.stringify(key)}]`;
  return isFirst ? key : `.${key}`;
}

/** Returns the paths of the fields in which two manifests of one flag differ. */
export function changedPaths(before: string, after: string): readonly string[] {
  const [old, now] = [pathsOfLines(before), pathsOfLines(after)];
  let [i, j] = [0, 0];
  const changed = differenceOf(before, after).map(({ sign }) => {
    const path = sign === '-' ? old[i] : now[j];
    if (sign !== '+') i += 1;
    if (sign !== '-') j += 1;
    return sign === ' ' ? undefined : path;
  });
  return [...new Set(changed.filter((path) => path !== undefined))];
}

/** Includes fields above and below the changed ones: entries of a replaced list may have other owners. */
export function fieldsTouched(
  paths: readonly string[],
  fields: readonly Schemas['OwnedField'][],
): readonly TouchedField[] {
  const touched = paths.flatMap((path): readonly TouchedField[] => {
    const known = fields.filter((field) => isWithin(path, field.path) || isWithin(field.path, path));
    return known.length > 0 ? known : [{ path, owners: [], protected: false }];
  });
  return [...new Map(touched.map((field) => [field.path, field])).values()];
}

function isWithin(path: string, other: string): boolean {
  return path === other || path.startsWith(`${other}.`) || path.startsWith(`${other}[`);
}
