/** The headers of a deprecated endpoint (RFC 9745), with a link to its documentation. */
import type { Response } from 'express';

/** The state API was deprecated before Vexil had it, so its endpoints are deprecated from their first day. */
const SINCE = Date.UTC(2026, 10, 21) / 1000;

/** Relative, so that the link works behind a path prefix. */
const DOCS = '../../../docs';

export function announceDeprecation(response: Response): void {
  response.setHeader('Deprecation', `@${SINCE}`);
  response.setHeader('Link', `<${DOCS}>; rel="deprecation"; type="text/html"`);
}
