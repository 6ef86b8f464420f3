/** Patterns of text that several parts check. */

/** A DNS label (RFC 1123): the form of namespaces and of the keys of strategies. */
export const DNS_LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

/**
 * The value of a token: 16 to 512 visible ASCII characters, valid in a header without encoding and too long to guess.
 */
export const TOKEN_VALUE = /^[\x21-\x7e]{16,512}$/;
