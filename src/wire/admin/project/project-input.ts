/** The bodies of requests about projects. */
import { z } from 'zod';
import { DEFAULT_STICKINESS, type ProjectTexts } from '../../../domain/project/edit-project.ts';
import { text, wireName } from '../../../schema/fields/shapes.ts';
import type { ProjectSpec } from '../../../schema/project.ts';

const id = wireName('The id of the project; it can never be changed.');

const fields = {
  name: z.string().min(1).max(200).meta({ description: 'The display name.' }),
  description: text(4096, 'What the project is about.').nullable().optional(),
  defaultStickiness: text(100, 'Stickiness that new strategies start with.').nullable().optional(),
  mode: z
    .literal('open')
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

export const validateProjectBody = z
  .object({ id })
  .meta({ id: 'ValidateProject', description: 'Unknown properties are dropped.', examples: [{ id: 'shop' }] });
