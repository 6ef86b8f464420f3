/** The bodies of requests about projects. */
import { z } from 'zod';
import { matchesNaming } from '../../../domain/identity/naming-pattern.ts';
import { DEFAULT_STICKINESS, type ProjectTexts } from '../../../domain/project/edit-project.ts';
import { text, wireName } from '../../../schema/fields/shapes.ts';
import type { ProjectSpec } from '../../../schema/project.ts';

const id = wireName('The id of the project; it can never be changed.');

const fields = {
  name: z.string().min(1).max(200).meta({ description: 'The display name.' }),
  description: text(4096, 'What the project is about.').nullable().optional(),
  defaultStickiness: text(100, 'Stickiness that new strategies start with.').nullable().optional(),
  mode: z
    .enum(['open'])
    .nullable()
    .optional()
    .meta({ description: 'open: every authenticated caller can read the project. There is no other mode.' }),
  featureLimit: z.null().optional().meta({ description: 'The number of flags has no limit.' }),
};

export const createProjectBody = z.object({ id, ...fields }).meta({
  id: 'CreateProject',
  description: 'A property that is null or absent gets its default. Unknown properties are dropped.',
  examples: [{ id: 'shop', name: 'The shop', description: 'Everything that customers see' }],
});

/** Writes only members with a meaning: absent fields stay absent. */
export function projectSpecOfCreate(body: z.infer<typeof createProjectBody>): ProjectSpec {
  const { name, description, defaultStickiness } = body;
  return {
    ...(name !== body.id && { displayName: name }),
    ...(description && { description }),
    ...(defaultStickiness && { defaultStickiness }),
  };
}

export const updateProjectBody = z.object(fields).meta({
  id: 'UpdateProject',
  description:
    'Absent properties stay. A property that is null gets its default. Unknown properties and the id are dropped.',
  examples: [{ name: 'The shop', description: 'Everything that customers see', defaultStickiness: 'userId' }],
});

export function textsOfUpdate(body: z.infer<typeof updateProjectBody>): ProjectTexts {
  const { name, description, defaultStickiness } = body;
  return {
    name,
    ...(description !== undefined && { description: description ?? '' }),
    ...(defaultStickiness !== undefined && { defaultStickiness: defaultStickiness ?? DEFAULT_STICKINESS }),
  };
}

const pattern = z
  .string()
  .max(200)
  .refine((text) => text === '' || matchesNaming(text, '') !== undefined, {
    error: 'must be a regular expression that RE2 accepts',
  })
  .nullable()
  .optional()
  .meta({ description: 'A regular expression (RE2) for the whole name of a new flag. Empty or null: none.' });

const featureNaming = z.object({
  pattern,
  example: text(100, 'A name that matches.').nullable().optional(),
  description: text(1000, 'The convention in words.').nullable().optional(),
});

export const projectSettingsBody = z
  .object({
    mode: fields.mode,
    featureNaming: featureNaming
      .nullable()
      .optional()
      .meta({ description: 'The naming convention. null: none. Absent: it stays.' }),
    linkTemplates: z.array(z.unknown()).max(0, { error: 'must be empty: flags have no links' }).nullable().optional(),
  })
  .meta({
    id: 'ProjectSettings',
    description: 'Unknown properties are dropped.',
    examples: [
      { mode: 'open', featureNaming: { pattern: 'shop-[a-z-]+', example: 'shop-checkout', description: null } },
    ],
  });

/** undefined: the convention stays; null: there is none. */
export function namingOfSettings({
  featureNaming: wanted,
}: z.output<typeof projectSettingsBody>): ProjectSpec['flagNaming'] {
  if (wanted === undefined) return undefined;
  if (!wanted?.pattern) return null;
  const { pattern: wantedPattern, example, description } = wanted;
  return { pattern: wantedPattern, ...(example && { example }), ...(description && { description }) };
}

export const validateProjectBody = z
  .object({ id })
  .meta({ id: 'ValidateProject', description: 'Unknown properties are dropped.', examples: [{ id: 'shop' }] });
