/** The versions that Go modules are pinned to. */

export interface Pins {
  /** The version of kube-apiserver, which is also that of kubectl: `1.36.3`. */
  readonly kubernetes: string;
  /** The oldest Go that builds them: `1.26.0`. */
  readonly go: string;
}

/** Reads the pins out of the text of a go.mod file. */
export function readPins(goMod: string): Pins {
  return { kubernetes: pinnedVersion(goMod, 'k8s.io/kubernetes'), go: pinnedGo(goMod) };
}

/** The version of a module, without `v`. */
export function pinnedVersion(goMod: string, module: string): string {
  return found(new RegExp(`^\\s*(?:require\\s+)?${RegExp.escape(module)} v(\\S+)`, 'm').exec(goMod), module);
}

/** The oldest Go that builds the modules. */
export function pinnedGo(goMod: string): string {
  return found(/^go (\S+)/m.exec(goMod), 'a go version');
}

function found(match: RegExpExecArray | null, what: string): string {
  const version = match?.[1];
  if (version === undefined) throw new Error(`go.mod does not name ${what}`);
  return version;
}

/** Orders dotted versions by their numbers: negative if `left` is the older one. */
export function compareVersions(left: string, right: string): number {
  const [ours, theirs] = [numbersOf(left), numbersOf(right)];
  for (let place = 0; place < Math.max(ours.length, theirs.length); place += 1) {
    const difference = (ours[place] ?? 0) - (theirs[place] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function numbersOf(version: string): number[] {
  return (version.match(/\d+/g) ?? []).map(Number);
}
