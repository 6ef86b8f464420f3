/** The endpoints that change segments, as the permissions of a user list them. */
import { endpoint } from '../editor/flag-paths.ts';

export const SEGMENTS = '/api/admin/segments';
export const SEGMENT = '/api/admin/segments/{segmentId}';

export const SEGMENT_ENDPOINTS = {
  create: endpoint('POST', SEGMENTS),
  change: endpoint('PUT', SEGMENT),
  remove: endpoint('DELETE', SEGMENT),
};
