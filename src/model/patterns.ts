/** Patterns of text that several parts check. */
import { isIP } from 'node:net';

/** A DNS label (RFC 1123): the form of namespaces and of the keys of strategies. */
export const DNS_LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

/**
 * The value of a token: 16 to 512 visible ASCII characters, valid in a header without encoding and too long to guess.
 */
export const TOKEN_VALUE = /^[\x21-\x7e]{16,512}$/;

const network = /^[0-9a-fA-F.:]+(\/\d{1,3})?$/;

/** Whether the text is an address, or a range such as `10.0.0.0/8`. */
export function isNetwork(text: string): boolean {
  const [address = '', bits = '0'] = text.split('/');
  const widest = { 4: 32, 6: 128 }[isIP(address)] ?? -1;
  return network.test(text) && Number(bits) <= widest;
}
