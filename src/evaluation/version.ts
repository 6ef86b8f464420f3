/** Semantic versions: https://semver.org, version 2.0.0. */

export interface Version {
  /** Major, minor, patch. */
  readonly core: readonly string[];
  /** Identifiers of the pre-release; empty: a release. */
  readonly preRelease: readonly string[];
}

/** As the longest that other implementations take. */
const MAX_LENGTH = 256;

const NUMBER = '(?:0|[1-9]\\d*)';
const IDENTIFIER = `(?:${NUMBER}|\\d*[A-Za-z-][0-9A-Za-z-]*)`;
const VERSION = new RegExp(
  `^(${NUMBER}[.]${NUMBER}[.]${NUMBER})(?:-(${IDENTIFIER}(?:[.]${IDENTIFIER})*))?(?:[+][0-9A-Za-z-]+(?:[.][0-9A-Za-z-]+)*)?$`,
);

/** Undefined: not a semantic version, as with a leading `v`. Build metadata is dropped, as it has no precedence. */
export function parseVersion(text: string): Version | undefined {
  const [, core, preRelease] = text.length > MAX_LENGTH ? [] : (VERSION.exec(text) ?? []);
  return core === undefined ? undefined : { core: core.split('.'), preRelease: preRelease?.split('.') ?? [] };
}

/** Below, at or above 0, by precedence. */
export function compareVersions(a: Version, b: Version): number {
  const byCore = compareLists(a.core, b.core);
  if (byCore !== 0) return byCore;
  // A release comes after its pre-releases.
  if (a.preRelease.length === 0 || b.preRelease.length === 0) return b.preRelease.length - a.preRelease.length;
  return compareLists(a.preRelease, b.preRelease);
}

function compareLists(a: readonly string[], b: readonly string[]): number {
  for (const [index, one] of a.entries()) {
    const other = b[index];
    if (other === undefined) return 1;
    const order = compareIdentifiers(one, other);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

/** Numbers come before names. They stay text, because they may be larger than what a number holds exactly. */
function compareIdentifiers(a: string, b: string): number {
  const [aIsNumber, bIsNumber] = [isNumber(a), isNumber(b)];
  if (aIsNumber !== bIsNumber) return aIsNumber ? -1 : 1;
  if (aIsNumber && a.length !== b.length) return a.length - b.length;
  return a === b ? 0 : a < b ? -1 : 1;
}

function isNumber(identifier: string): boolean {
  return /^\d+$/.test(identifier);
}
