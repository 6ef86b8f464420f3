/** The query of an export, and of an import. */
import { z } from 'zod';

/** A boolean as Unleash reads it in this query (docs/unleash-compatibility.md#state-document). */
function loose(fallback: boolean, description: string) {
  return z
    .string()
    .optional()
    .transform((given) => {
      if (given === undefined) return fallback;
      const isNumber = given.trim() !== '' && !Number.isNaN(Number(given));
      return isNumber ? Number(given) !== 0 : given.toLowerCase() === 'true';
    })
    .meta({
      description: `${description} Absent: ${fallback}. A number means true unless it is 0, any other text only if it is \`true\`.`,
      examples: [`${fallback}`],
    });
}

const environment = z.string().max(100).optional();
const DEFAULT_ENVIRONMENT = 'Absent: the one named `default`, else the first in their order.';

export const stateExportQuery = z.object({
  format: z.enum(['json', 'yaml']).default('json').meta({ description: 'How the document is written.' }),
  download: loose(false, 'Answer as a file with a name of its own.'),
  featureToggles: loose(true, 'With flags.'),
  strategies: loose(true, 'With strategy types.'),
  projects: loose(true, 'With projects.'),
  tags: loose(true, 'With tags.'),
  environments: loose(true, 'With environments.'),
  environment: environment.meta({
    description: `The environment of which flags say \`enabled\`, \`strategies\` and \`variants\` themselves. ${DEFAULT_ENVIRONMENT}`,
    examples: ['production'],
  }),
});
export type ExportQuery = z.output<typeof stateExportQuery>;

export const importQuery = z.object({
  drop: loose(
    false,
    'Delete the flags, strategy types and segments that the document does not have, where it has such a section, and replace the others. API tokens, projects and environments are never deleted.',
  ),
  keep: loose(true, 'Leave flags, strategy types and segments that are there already as they are.'),
  environment: environment.meta({
    description: `The environment for what flags say of \`enabled\`, \`strategies\` and \`variants\` themselves. ${DEFAULT_ENVIRONMENT}`,
    examples: ['production'],
  }),
});
