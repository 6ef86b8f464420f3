/** Adds a request header that an answer depends on to the Vary header. */
import type { Response } from 'express';

/** The name must not be in the header yet: unlike Express, this function does not check. */
export function varyBy(response: Response, name: string): void {
  const before = response.getHeader('Vary');
  response.setHeader('Vary', before === undefined ? name : `${before}, ${name}`);
}
