/** The shapes of the bodies of error answers, for the API document. */
import { z } from 'zod';
import { wireSpan } from '../../../wire/admin/past/span.ts';
import { wireFreeze } from '../../../wire/admin/project/freeze.ts';

const NO_PROJECT = 'There is no project with the id "shop".';

/** The body of every error answer, except those that list messages. */
export const errorBody = z
  .object({
    id: z.uuid().meta({ description: 'The id of this answer.' }),
    name: z.string().meta({ description: 'The kind of the error.' }),
    message: z
      .string()
      .meta({ description: 'What is wrong, with which value, and what to do.', examples: [NO_PROJECT] }),
    details: z
      .array(
        z.object({
          message: z.string().meta({ examples: [NO_PROJECT] }),
          description: z.string().meta({ description: 'The same as message.', examples: [NO_PROJECT] }),
          path: z
            .string()
            .optional()
            .meta({ description: 'The place in the request or in the object, for example /body/name.' }),
        }),
      )
      .min(1)
      .meta({ description: 'Each finding.' }),
    sources: z
      .array(
        z.object({
          manager: z.string().meta({ description: 'The field manager.', examples: ['kustomize-controller'] }),
          operation: z.enum(['Apply', 'Update']),
          yaml: z.string().optional().meta({
            description:
              'The manifest that the manager must apply: the fields that it owns, with the change. Absent if it is too long.',
          }),
          present: z.string().optional().meta({
            description: 'The manifest as the manager applies it now. Absent if one of the two is too long.',
          }),
          appliedFrom: z
            .string()
            .optional()
            .meta({
              description: 'The object of the tool, by its marks on the object. Absent: there is no mark.',
              examples: ['Flux Kustomization flux-system/flags'],
            }),
          mergePatch: z.looseObject({}).optional().meta({
            description: 'The change alone, as JSON Merge Patch of the custom resource. Absent: it is too long.',
          }),
        }),
      )
      .optional()
      .meta({
        description:
          'Only in FieldManagedError: the change for each manager of the fields, at most three. For several flags: of each flag.',
      }),
    ownedFlags: z
      .array(
        z.object({
          name: z.string().meta({ examples: ['one-page-checkout'] }),
          managers: z.array(z.string()).meta({ examples: [['kustomize-controller']] }),
        }),
      )
      .optional()
      .meta({
        description:
          'Only for requests about several flags: those that GitOps tools own, with the field managers. The request without these flags changes the others.',
      }),
    freezes: z
      .array(
        z.object({
          environment: z.string().meta({ examples: ['production'] }),
          ...wireFreeze.shape,
        }),
      )
      .optional()
      .meta({ description: 'Only in EnvironmentFrozenError: the freezes that are in force.' }),
    approvals: z
      .array(
        z.object({
          environment: z.string().meta({ examples: ['production'] }),
          required: z.int().meta({ description: 'How many people must approve.', examples: [1] }),
        }),
      )
      .optional()
      .meta({ description: 'Only in ApprovalRequiredError: the environments where the change needs approval.' }),
    uncertain: wireSpan
      .optional()
      .meta({ description: 'Only in UncertainTimeError: between which times the changes happened.' }),
  })
  .meta({ id: 'Error', description: 'The body of every refusal.' });
export type ErrorBody = z.infer<typeof errorBody>;

export const errorMessages = z
  .array(
    z.object({
      msg: z.string().meta({ description: 'What is wrong.', examples: ['A project must have at least one owner.'] }),
    }),
  )
  .min(1)
  .meta({
    id: 'ErrorMessages',
    description: 'The body of two errors about project members. All other errors have the body Error.',
  });
export type ErrorMessages = z.infer<typeof errorMessages>;
