/** The Environment kind: a stage that flags are switched in, such as development or production. */
import { z } from 'zod';
import { judged } from './condition.ts';
import { closingColumns, type Kind } from './kind.ts';
import { nameRules } from './name-rules.ts';
import type { CustomObject } from './object.ts';
import { text, wireName } from './shapes.ts';

/** Lower is higher up in lists. */
export const sortOrder = z.int().min(0).max(2147483647);

const spec = z.object({
  name: wireName('The name on the wire. Absent: metadata.name. Immutable.').optional(),
  type: z
    .string()
    .min(1)
    .max(50)
    .optional()
    .meta({ description: 'What it is used for: development, test, pre-production, production. Absent: development.' }),
  displayName: text(200, 'The name for people. Absent: the name.').optional(),
  enabled: z.boolean().optional().meta({ description: 'Projects that name no environments use it. Absent: true.' }),
  protected: z.boolean().optional().meta({ description: 'It cannot be deleted. Absent: false.' }),
  sortOrder: sortOrder
    .optional()
    .meta({ description: 'Place in lists, lower is higher up. Absent: 9999, that is, last.' }),
});
export type EnvironmentSpec = z.infer<typeof spec>;

const status = z.object({
  ...judged,
  projectCount: z.int().min(0).optional().meta({ description: 'Projects that use it.' }),
  apiTokenCount: z.int().min(0).optional().meta({ description: 'API tokens for it.' }),
  enabledToggleCount: z.int().min(0).optional().meta({ description: 'Flags that are on in it.' }),
});
export type EnvironmentStatus = z.infer<typeof status>;

export type Environment = CustomObject<EnvironmentSpec, EnvironmentStatus>;

export const environment: Kind<EnvironmentSpec, EnvironmentStatus> = {
  kind: 'Environment',
  plural: 'environments',
  singular: 'environment',
  shortNames: ['fenv'],
  description:
    "A stage that flags are switched in, such as development or production. Environments live in the operator's own namespace.",
  spec,
  status,
  columns: [
    { name: 'Type', type: 'string', jsonPath: '.spec.type', description: 'What it is used for; blank: development.' },
    { name: 'Protected', type: 'boolean', jsonPath: '.spec.protected', description: 'Whether it cannot be deleted.' },
    { name: 'Order', type: 'integer', jsonPath: '.spec.sortOrder', description: 'Place in lists.' },
    { name: 'Projects', type: 'integer', jsonPath: '.status.projectCount', description: 'Projects that use it.' },
    {
      name: 'Enabled',
      type: 'integer',
      jsonPath: '.status.enabledToggleCount',
      description: 'Flags that are on in it.',
    },
    ...closingColumns('it is in use'),
  ],
  selectableFields: ['.spec.type'],
  rootRules: nameRules(),
  lasting: [],
  freeForm: [],
  isolated: [],
};
