/** What a change request asks for to allow a write of a segment, a project or an environment. */
import type { Catalog } from '../../catalog/catalog.ts';
import { grantForSegment, grantForSettings } from '../../domain/approval/grants.ts';
import { segmentValuesOf } from '../../domain/approval/target.ts';
import type { Values } from '../../domain/approval/values.ts';
import type { AnyObject, Ref } from '../../model/object.ts';
import type { Environment } from '../../schema/environment.ts';
import type { Project } from '../../schema/project.ts';
import type { SegmentSpec } from '../../schema/segment.ts';

export interface AskedWrite {
  readonly object: AnyObject;
  readonly wanted: Values;
  readonly isGranted: (environment: string) => boolean;
}

/** Undefined: there is no such object, or the write moves the segment to another project, which no request asks for. */
export function askedOfSegment({ segmentAt }: Pick<Catalog, 'segmentAt'>) {
  return (after: SegmentSpec, ref: Ref): AskedWrite | undefined => {
    const object = segmentAt(ref);
    if (!object || object.spec.project !== after.project) return undefined;
    const isGranted = (name: string) => grantForSegment(object, after, name) !== undefined;
    return { object, wanted: segmentValuesOf(after), isGranted };
  };
}

/** Of a project or an environment. Undefined: there is no such object. */
export function askedOfSettings<S>(
  objectAt: (ref: Ref) => Project | Environment | undefined,
  settingsOf: (spec: S) => Values,
) {
  return (after: S, ref: Ref): AskedWrite | undefined => {
    const [object, wanted] = [objectAt(ref), settingsOf(after)];
    return object && { object, wanted, isGranted: (name) => grantForSettings(object, wanted, name) !== undefined };
  };
}
