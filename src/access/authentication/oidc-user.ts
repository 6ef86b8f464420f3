/**
 * The Kubernetes user that the claims of an ID token name, as structured authentication of the API server maps them.
 */
import { Refusal } from '../../errors.ts';
import type { ClaimMapping } from '../../model/settings/oidc-settings.ts';

export interface OidcUser {
  readonly username: string;
  readonly groups: readonly string[];
}

type IdTokenClaims = Readonly<Record<string, unknown>>;

/** Prefix of names that are reserved for Kubernetes itself, for example of service accounts and nodes. */
const RESERVED = 'system:';
/** The group of all users that Kubernetes has authenticated. */
const AUTHENTICATED = 'system:authenticated';
const MAX_NAME_LENGTH = 256;
/** Without signs that end a line, or that change the direction of the text around the name. */
const NAME = /^[^\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+$/u;

/** Throws if the claims name no user. */
export function userOfClaims(claims: IdTokenClaims, mapping: ClaimMapping): OidcUser {
  const { usernameClaim, usernamePrefix, groupsClaim, groupsPrefix } = mapping;
  const name = claims[usernameClaim];
  if (!isName(name)) throw refused(`no claim "${usernameClaim}" that can be a username`);
  if (usernameClaim === 'email' && !isVerified(claims)) {
    throw refused('an e-mail address that is not verified');
  }
  const username = `${usernamePrefix}${name}`;
  if (username.startsWith(RESERVED)) throw refused(`a username that begins with "${RESERVED}"`);
  const groups = groupsIn(claims, groupsClaim).map((group) => `${groupsPrefix}${group}`);
  return { username, groups: [...groups.filter((group) => !group.startsWith(RESERVED)), AUTHENTICATED] };
}

/** Whether `userOfClaims` can have returned the user: its names have the prefixes, and none is reserved. */
export function isUserOfClaims({ username, groups }: OidcUser, mapping: ClaimMapping): boolean {
  const isOfProvider = (name: string, prefix: string) =>
    name.startsWith(prefix) && isName(name.slice(prefix.length)) && !name.startsWith(RESERVED);
  return (
    isOfProvider(username, mapping.usernamePrefix) &&
    groups.every((group) => group === AUTHENTICATED || isOfProvider(group, mapping.groupsPrefix))
  );
}

/** True also if the provider does not send the claim. */
function isVerified({ email_verified: verified }: IdTokenClaims): boolean {
  return verified === undefined || verified === true;
}

/** A provider may send a single group as a string. */
function groupsIn(claims: IdTokenClaims, groupsClaim: string): readonly string[] {
  const given = claims[groupsClaim] ?? [];
  const groups: readonly unknown[] = Array.isArray(given) ? given : [given];
  if (!groups.every(isName)) throw refused(`a claim "${groupsClaim}" that is not a list of names`);
  return groups;
}

function isName(claim: unknown): claim is string {
  return typeof claim === 'string' && claim.length <= MAX_NAME_LENGTH && NAME.test(claim);
}

function refused(what: string): Refusal {
  return new Refusal('unauthenticated', `The ID token has ${what}.`);
}
