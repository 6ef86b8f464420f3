/** The endpoints that change several flags, as the permissions of a user list them. */

export const SWITCHES = '/projects/{projectId}/bulk_features/environments/{environment}';

export const BULK_ENDPOINTS = {
  switches: [`POST ${SWITCHES}/on`, `POST ${SWITCHES}/off`],
  stale: 'POST /projects/{projectId}/stale',
  tags: 'PUT /projects/{projectId}/tags',
  archive: 'POST /projects/{projectId}/archive',
} as const;
