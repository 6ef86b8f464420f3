/** The versions that the Go modules of the control plane are pinned to. */

export interface Pins {
  /** Of kube-apiserver, which is also that of kubectl: `1.36.3`. */
  readonly kubernetes: string;
  /** The oldest Go that builds them: `1.26.0`. */
  readonly go: string;
}

/** Reads the pins out of the text of a go.mod file. */
export function readPins(goMod: string): Pins {
  return {
    kubernetes: versionIn(goMod, /^\s*(?:require\s+)?k8s\.io\/kubernetes v(\S+)/m, 'k8s.io/kubernetes'),
    go: versionIn(goMod, /^go (\S+)/m, 'a go version'),
  };
}

function versionIn(goMod: string, pattern: RegExp, what: string): string {
  const version = pattern.exec(goMod)?.[1];
  if (version === undefined) throw new Error(`go.mod of the control plane does not name ${what}`);
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
