/** The lines in which two texts differ. */

export interface Line {
  readonly sign: '+' | '-' | ' ';
  readonly text: string;
}

/** Lines that are not shown. */
export interface Gap {
  readonly sign: '…';
  readonly lines: number;
}

/** The search for common lines would take seconds above this number of comparisons. */
const MAX_COMPARED = 4_000_000;
const LINES_AROUND = 3;

export function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}

export function differenceOf(before: string, after: string): readonly Line[] {
  const [old, now] = [linesOf(before), linesOf(after)];
  const head = sameAtStart(old, now);
  const tail = sameAtStart(old.slice(head).toReversed(), now.slice(head).toReversed());
  return [
    ...signed(' ', old.slice(0, head)),
    ...changesIn(old.slice(head, old.length - tail), now.slice(head, now.length - tail)),
    ...signed(' ', old.slice(old.length - tail)),
  ];
}

function signed(sign: Line['sign'], lines: readonly string[]): readonly Line[] {
  return lines.map((text) => ({ sign, text }));
}

function sameAtStart(one: readonly string[], other: readonly string[]): number {
  const end = one.findIndex((line, index) => line !== other[index]);
  return end < 0 ? one.length : end;
}

function changesIn(old: readonly string[], now: readonly string[]): readonly Line[] {
  if (old.length * now.length > MAX_COMPARED) return [...signed('-', old), ...signed('+', now)];
  const common = commonLengths(old, now);
  const lines: Line[] = [];
  for (let [i, j] = [0, 0]; i < old.length || j < now.length; ) {
    const line = nextLine({ removed: old[i], added: now[j] }, () => isRemovedFirst(common, now.length + 1, { i, j }));
    lines.push(line);
    if (line.sign !== '+') i += 1;
    if (line.sign !== '-') j += 1;
  }
  return lines;
}

interface Candidates {
  readonly removed: string | undefined;
  readonly added: string | undefined;
}

function nextLine({ removed, added }: Candidates, removedFirst: () => boolean): Line {
  if (removed === undefined) return { sign: '+', text: added ?? '' };
  if (removed === added) return { sign: ' ', text: removed };
  if (added === undefined || removedFirst()) return { sign: '-', text: removed };
  return { sign: '+', text: added };
}

function isRemovedFirst(common: Uint32Array, width: number, { i, j }: { i: number; j: number }): boolean {
  return (common[(i + 1) * width + j] ?? 0) >= (common[i * width + j + 1] ?? 0);
}

/** Returns, row by row, the number of common lines from each pair of lines to the ends. */
function commonLengths(old: readonly string[], now: readonly string[]): Uint32Array {
  const width = now.length + 1;
  const lengths = new Uint32Array((old.length + 1) * width);
  for (let i = old.length - 1; i >= 0; i -= 1) {
    for (let j = now.length - 1; j >= 0; j -= 1) {
      const [below, right, diagonal] = [(i + 1) * width + j, i * width + j + 1, (i + 1) * width + j + 1];
      lengths[i * width + j] =
        old[i] === now[j] ? (lengths[diagonal] ?? 0) + 1 : Math.max(lengths[below] ?? 0, lengths[right] ?? 0);
    }
  }
  return lengths;
}

/** Leaves out lines that are far from any change. */
export function shortened(lines: readonly Line[]): readonly (Line | Gap)[] {
  const changed = lines.flatMap(({ sign }, index) => (sign === ' ' ? [] : [index]));
  const near = new Set(
    changed.flatMap((index) => Array.from({ length: 2 * LINES_AROUND + 1 }, (_, step) => index + step - LINES_AROUND)),
  );
  const shown: (Line | Gap)[] = [];
  for (const [index, line] of lines.entries()) {
    const last = shown.at(-1);
    if (near.has(index)) shown.push(line);
    else if (last?.sign === '…') shown[shown.length - 1] = { sign: '…', lines: last.lines + 1 };
    else shown.push({ sign: '…', lines: 1 });
  }
  return shown;
}
