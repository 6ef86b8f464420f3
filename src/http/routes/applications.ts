/** /metrics: the applications whose SDKs have registered or reported. */
import { z } from 'zod';
import { signedIn, toApplications } from '../../access/authorization/requirements.ts';
import { type ReadableFlags, readableFlags } from '../../access/readable/readable-objects.ts';
import { compareText, wireNameOf } from '../../domain/identity/names.ts';
import { Refusal } from '../../errors.ts';
import type { Application } from '../../usage/usage.ts';
import {
  applicationsQuery,
  isOutdated,
  presentApplicationBase,
  presentInstance,
  presentUnknownFlags,
  wireApplication,
  wireApplicationOverview,
  wireApplications,
  wireInstances,
  wireOutdatedSdks,
  wireUnknownFlags,
} from '../../wire/admin/application.ts';
import { type RouteServices, route } from '../route/route.ts';

const applicationPath = z.object({
  appName: z.string().meta({ description: 'The name of the application.', examples: ['shop'] }),
});
const placePath = applicationPath.extend({
  environment: z.string().meta({ description: 'The name of the environment.', examples: ['production'] }),
});

const AWAY = 'Answers 503 while the database of usage cannot be reached.';

/** The readable projects, each once, ordered by project. */
function projectsOf(usage: Application['usage'], { byUid }: ReadableFlags) {
  const places = usage.flatMap(({ environment, flagUids }) =>
    flagUids.flatMap((uid) => {
      const found = byUid.get(uid);
      return found ? [{ project: found.project, environment }] : [];
    }),
  );
  return [...Map.groupBy(places, ({ project }) => project)]
    .sort(([one], [other]) => compareText(one, other))
    .map(([project, ofProject]) => {
      const environments = [...new Set(ofProject.map(({ environment }) => environment))].sort();
      return { project, environments };
    });
}

/** An application that requested no flag belongs to no project: only callers who may read all projects see it. */
async function findApplication(services: RouteServices, appName: string) {
  const readable = await readableFlags(services);
  const application = await services.usage.reader.application(appName);
  const isVisible = readable.isEverything || (application && projectsOf(application.usage, readable).length > 0);
  if (!application || !isVisible) throw new Refusal('not-found', `There is no application named "${appName}".`);
  return { application, readable };
}

/** The flags that the application requested, each once, ordered by name. */
function flagsOf({ usage }: Application, { byUid }: ReadableFlags) {
  const uids = new Set(usage.flatMap(({ flagUids }) => flagUids));
  return [...uids]
    .flatMap((uid) => byUid.get(uid) ?? [])
    .map(({ flag, project }) => ({ name: wireNameOf(flag), project }))
    .sort((one, other) => compareText(one.name, other.name));
}

/** The reports of names without a flag, or with an archived one. */
async function unknownFlags({ usage }: RouteServices, { byUid, isEverything }: ReadableFlags) {
  const reports = await usage.reader.unknownFlags();
  return reports.filter(({ archivedUid }) => (archivedUid === undefined ? isEverything : byUid.has(archivedUid)));
}

async function unknownTo(services: RouteServices, appName: string, readable: ReadableFlags) {
  return (await unknownFlags(services, readable)).filter((one) => one.appName === appName);
}

function missingStrategies({ catalog }: RouteServices, { strategies }: Application): readonly string[] {
  return strategies.filter((name) => !catalog.strategyTypes().has(name));
}

export const applicationRoutes = [
  route({
    method: 'get',
    path: '/metrics/applications',
    summary: 'List the applications that asked for flags of projects that the caller may read.',
    description: AWAY,
    errors: [],
    requires: signedIn,
    query: applicationsQuery,
    answer: 200,
    response: wireApplications,
    handle: async (services, { query: { query, offset, limit, sortBy, sortOrder } }) => {
      const readable = await readableFlags(services);
      const { applications, total } = await services.usage.reader.applications({
        ...{ query, offset, limit },
        sort: { by: sortBy === 'lastSeenAt' ? 'lastAt' : 'appName', order: sortOrder ?? 'asc' },
        flagUids: readable.isEverything ? undefined : new Set(readable.byUid.keys()),
      });
      const present = (one: Application) => ({
        ...presentApplicationBase(one),
        strategies: one.strategies,
        usage: projectsOf(one.usage, readable),
      });
      return { applications: applications.map(present), total };
    },
  }),
  route({
    method: 'get',
    path: '/metrics/applications/:appName',
    summary: 'Read an application with its instances, strategies and flags.',
    description: `Flags of projects that the caller may not read are left out. ${AWAY}`,
    errors: ['not-found'],
    requires: signedIn,
    params: applicationPath,
    answer: 200,
    response: wireApplication,
    handle: async (services, { params: { appName } }) => {
      const { application, readable } = await findApplication(services, appName);
      const missing = new Set(missingStrategies(services, application));
      const unknown = await unknownTo(services, appName, readable);
      const names = [...new Set(unknown.map(({ name }) => name))].sort();
      const instances = await Promise.all(
        application.environments.map(async ({ environment }) => {
          const found = await services.usage.reader.instances(appName, environment);
          return found.map((one) => ({ ...presentInstance(one), environment }));
        }),
      );
      return {
        ...presentApplicationBase(application),
        instances: instances.flat(),
        strategies: application.strategies.map((name) => ({ name, ...(missing.has(name) && { notFound: true }) })),
        seenToggles: [...flagsOf(application, readable), ...names.map((name) => ({ name, notFound: true }))],
      };
    },
  }),
  route({
    method: 'get',
    path: '/metrics/applications/:appName/overview',
    summary: 'Read the projects and environments of an application, with their issues.',
    description: `Flags of projects that the caller may not read are left out. ${AWAY}`,
    errors: ['not-found'],
    requires: signedIn,
    params: applicationPath,
    answer: 200,
    response: wireApplicationOverview,
    handle: async (services, { params: { appName } }) => {
      const { application, readable } = await findApplication(services, appName);
      const unknown = await unknownTo(services, appName, readable);
      const missingIn = (name: string) => [
        ...new Set(unknown.filter(({ environment }) => environment === name).map((one) => one.name)),
      ];
      return {
        projects: projectsOf(application.usage, readable).map(({ project }) => project),
        featureCount: flagsOf(application, readable).length,
        environments: application.environments.map(({ environment, instanceCount, sdkVersions, lastAt }) => ({
          ...{ name: environment, instanceCount, sdks: sdkVersions, lastSeen: new Date(lastAt).toISOString() },
          issues: { missingFeatures: missingIn(environment), outdatedSdks: sdkVersions.filter(isOutdated) },
        })),
        issues: { missingStrategies: missingStrategies(services, application) },
      };
    },
  }),
  route({
    method: 'delete',
    path: '/metrics/applications/:appName',
    summary: 'Forget an application with its instances.',
    description: `The counts of the application stay. The application returns with its next report. ${AWAY}`,
    errors: ['not-found'],
    requires: toApplications,
    params: applicationPath,
    creates: true,
    answer: 200,
    handle: async (services, { params, dryRun }) => {
      const { application } = await findApplication(services, params.appName);
      if (!dryRun) await services.usage.reader.forget(application.appName);
    },
  }),
  route({
    method: 'get',
    path: '/metrics/instances/:appName/environment/:environment',
    summary: 'List the instances of an application in an environment.',
    description: AWAY,
    errors: ['not-found'],
    requires: signedIn,
    params: placePath,
    answer: 200,
    response: wireInstances,
    handle: async (services, { params: { appName, environment } }) => {
      await findApplication(services, appName);
      const found = await services.usage.reader.instances(appName, environment);
      return { instances: found.map(presentInstance) };
    },
  }),
  route({
    method: 'get',
    path: '/metrics/sdks/outdated',
    summary: 'List SDKs that are older than those that Vexil is tested with, and their applications.',
    description: `Sorted by major version. Callers who may not read every project get an empty list. ${AWAY}`,
    errors: [],
    requires: signedIn,
    answer: 200,
    response: wireOutdatedSdks,
    handle: async (services) => {
      const { isEverything } = await readableFlags(services);
      const found = isEverything ? await services.usage.reader.sdkVersions() : [];
      const outdated = found.filter(({ sdkVersion }) => isOutdated(sdkVersion));
      return { sdks: outdated.map(({ sdkVersion, appNames }) => ({ sdkVersion, applications: appNames })) };
    },
  }),
  route({
    method: 'get',
    path: '/metrics/unknown-flags',
    summary: 'List names that applications asked for and that no flag, or only an archived flag, has.',
    description: `A name that no flag has belongs to no project, so only callers who may read every project get such names. ${AWAY}`,
    errors: [],
    requires: signedIn,
    answer: 200,
    response: wireUnknownFlags,
    handle: async (services) => presentUnknownFlags(await unknownFlags(services, await readableFlags(services))),
  }),
];
