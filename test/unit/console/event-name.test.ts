/** Events that the API gives no label have a name of words. */
import { expect, test } from 'vitest';
import { eventName } from '../../../console/src/events/event-name.ts';

test.each([
  ['Flag enabled', 'feature-environment-enabled', 'Flag enabled'],
  ['feature-updated', 'feature-updated', 'Flag updated'],
  ['environment-freeze-began', 'environment-freeze-began', 'Environment freeze began'],
  ['api-token-created', 'api-token-created', 'API token created'],
  ['pat-deleted', 'pat-deleted', 'Personal token deleted'],
])('%s of %s is %s', (label, type, name) => {
  expect(eventName({ label, type })).toBe(name);
});
