/** The queries of an export and of an import. */
import { z } from 'zod';
import { pastParams } from '../../past-query.ts';

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
      description: `${description} Absent: ${fallback}. A number other than 0 means true. Other text means true only if it is \`true\`.`,
      examples: [`${fallback}`],
    });
}

const environment = z.string().max(100).optional();
const DEFAULT_ENVIRONMENT = 'Absent: the environment named `default`, or otherwise the first environment in order.';

export const stateExportQuery = z.object({
  format: z.enum(['json', 'yaml']).default('json').meta({ description: 'The format of the document.' }),
  download: loose(false, 'Answer an attachment with a file name.'),
  featureToggles: loose(true, 'Include flags.'),
  strategies: loose(true, 'Include strategy types.'),
  projects: loose(true, 'Include projects.'),
  tags: loose(true, 'Include tags.'),
  environments: loose(true, 'Include environments.'),
  environment: environment.meta({
    description: `The environment whose \`enabled\`, \`strategies\` and \`variants\` the flags themselves contain. ${DEFAULT_ENVIRONMENT}`,
    examples: ['production'],
  }),
  ...pastParams,
});
export type ExportQuery = z.output<typeof stateExportQuery>;

export const importQuery = z.object({
  drop: loose(
    false,
    'Delete the flags, strategy types and segments that are missing from a section of the document, and replace the others. A section that is absent deletes nothing. API tokens, projects and environments are never deleted.',
  ),
  prune: loose(
    false,
    'Delete the flags and segments of the projects of the document that the document does not have; archived flags and segments of no project stay. The projects are those that the document lists, and those of its flags. A document without flags is refused. The answer is the plan, which names what was deleted.',
  ),
  keep: loose(true, 'Leave existing flags, strategy types and segments unchanged.'),
  environment: environment.meta({
    description: `The environment to which \`enabled\`, \`strategies\` and \`variants\` of the flags themselves apply. ${DEFAULT_ENVIRONMENT}`,
    examples: ['production'],
  }),
});
