/** Semantic versions: https://semver.org, version 2.0.0. */

export interface Version {
  /** Major, minor, patch. */
  readonly core: readonly string[];
  /** Identifiers of the pre-release; empty: a release. */
  readonly preRelease: readonly string[];
}

/** The longest length that other implementations accept. */
const MAX_LENGTH = 256;

const NUMBER = '(?:0|[1-9]\\d*)';
const IDENTIFIER = `(?:${NUMBER}|\\d*[A-Za-z-][0-9A-Za-z-]*)`;
const VERSION = new RegExp(
  `^(${NUMBER}[.]${NUMBER}[.]${NUMBER})(?:-(${IDENTIFIER}(?:[.]${IDENTIFIER})*))?(?:[+][0-9A-Za-z-]+(?:[.][0-9A-Za-z-]+)*)?$`,
);

/**
 * Undefined if the text is not a semantic version, for example because of a leading `v`. Build metadata is dropped, as
 * it has no precedence.
 */
export function parseVersion(text: string): Version | undefined {
  const [, core, preRelease] = text.length > MAX_LENGTH ? [] : (VERSION.exec(text) ?? []);
  return core === undefined ? undefined : { core: core.split('.'), preRelease: preRelease?.split('.') ?? [] };
}

/** Returns a number below, at or above 0, by precedence. */
export function comparePrecedence(a: Version, b: Version): number {
  const byCore = compareLists(a.core, b.core, compareNumerals);
  if (byCore !== 0) return byCore;
  // A release comes after its pre-releases.
  if (a.preRelease.length === 0 || b.preRelease.length === 0) return b.preRelease.length - a.preRelease.length;
  return compareLists(a.preRelease, b.preRelease, compareIdentifiers);
}

function compareLists(a: readonly string[], b: readonly string[], compare: (a: string, b: string) => number): number {
  for (const [index, one] of a.entries()) {
    const other = b[index];
    if (other === undefined) return 1;
    const order = compare(one, other);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

/** Numbers come before names. */
function compareIdentifiers(a: string, b: string): number {
  const [aIsNumber, bIsNumber] = [isNumber(a), isNumber(b)];
  if (aIsNumber !== bIsNumber) return aIsNumber ? -1 : 1;
  return aIsNumber ? compareNumerals(a, b) : compareCharacters(a, b);
}

function isNumber(identifier: string): boolean {
  return /^\d+$/.test(identifier);
}

/** Numerals stay strings, because they may be larger than what a number holds exactly. */
function compareNumerals(a: string, b: string): number {
  return a.length - b.length || compareCharacters(a, b);
}

function compareCharacters(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
