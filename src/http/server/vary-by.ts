/** Says which header of the request an answer depends on. */
import type { Response } from 'express';

/** The name must not be there yet: unlike Express, it does not look. */
export function varyBy(response: Response, name: string): void {
  const before = response.getHeader('Vary');
  response.setHeader('Vary', before === undefined ? name : `${before}, ${name}`);
}
