/** Shows the page that the address names; pages that are not on the way to a switch are loaded when they are opened. */
import { Redirect, Route, Switch, useSearchParams } from 'wouter';
import { FeaturePage } from './feature/feature-page.tsx';
import { featurePath } from './feature-link.tsx';
import { lazyPart } from './lazy-part.tsx';
import { LoginPage } from './login-page.tsx';
import { Page } from './page.tsx';
import { ProjectPage } from './project/project-page.tsx';
import { ProjectsPage } from './projects-page.tsx';
import { Required } from './required.tsx';

const EnvironmentsPage = lazyPart(async () => (await import('./environments/environments-page.tsx')).EnvironmentsPage);
const StrategiesPage = lazyPart(async () => (await import('./strategies/strategies-page.tsx')).StrategiesPage);
const NewStrategyType = lazyPart(async () => (await import('./strategies/strategy-type-page.tsx')).NewStrategyTypePage);
const EditStrategyType = lazyPart(
  async () => (await import('./strategies/strategy-type-page.tsx')).EditStrategyTypePage,
);
const ApplicationsPage = lazyPart(async () => (await import('./applications/applications-page.tsx')).ApplicationsPage);
const ApplicationPage = lazyPart(async () => (await import('./applications/application-page.tsx')).ApplicationPage);
const StalePage = lazyPart(async () => (await import('./stale/stale-page.tsx')).StalePage);
const RequestsPage = lazyPart(async () => (await import('./requests/requests-page.tsx')).RequestsPage);
const EventsPage = lazyPart(async () => (await import('./events/events-page.tsx')).EventsPage);
const NotificationsPage = lazyPart(
  async () => (await import('./notifications/notifications-page.tsx')).NotificationsPage,
);
const ArchivePage = lazyPart(async () => (await import('./archive/archive-page.tsx')).ArchivePage);
const TokensPage = lazyPart(async () => (await import('./tokens/tokens-page.tsx')).TokensPage);
const ImportExportPage = lazyPart(async () => (await import('./state/import-export-page.tsx')).ImportExportPage);
const SettingsPage = lazyPart(async () => (await import('./project/settings-page.tsx')).SettingsPage);
const PlaygroundPage = lazyPart(async () => (await import('./playground/playground-page.tsx')).PlaygroundPage);
const SegmentsPage = lazyPart(async () => (await import('./segments/segments-page.tsx')).SegmentsPage);
const SegmentPage = lazyPart(async () => (await import('./segments/segment-page.tsx')).SegmentPage);
const NewSegmentPage = lazyPart(async () => (await import('./segments/segment-page.tsx')).NewSegmentPage);
const ComparePage = lazyPart(async () => (await import('./environments/comparison.tsx')).ComparePage);
const ChangesPage = lazyPart(async () => (await import('./past/changes-between.tsx')).ChangesPage);
const AccessPage = lazyPart(async () => (await import('./project/access-page.tsx')).AccessPage);

/** The router has decoded all but the characters that end a part of a path: a name with `%` may be decoded already. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export function App() {
  return (
    <Switch>
      <Route path="/login" component={LoginPage} />
      <Route path="/" component={ProjectsPage} />
      <Route path="/environments" component={EnvironmentsPage} />
      <Route path="/strategies" component={StrategiesPage} />
      <Route path="/strategies/create">
        <Required title="New strategy type" endpoint="POST /strategies">
          <NewStrategyType />
        </Required>
      </Route>
      <Route path="/strategies/:name/edit">
        {({ name }) => (
          <Required title={decoded(name)} endpoint="PUT /strategies/{strategyName}">
            <EditStrategyType name={decoded(name)} />
          </Required>
        )}
      </Route>
      <Route path="/applications" component={ApplicationsPage} />
      <Route path="/applications/:name">{({ name }) => <ApplicationPage name={decoded(name)} />}</Route>
      <Route path="/reports/stale" component={StalePage} />
      <Route path="/change-requests" component={RequestsPage} />
      <Route path="/events" component={EventsPage} />
      <Route path="/notifications" component={NotificationsPage} />
      <Route path="/archive" component={ArchivePage} />
      <Route path="/tokens" component={TokensPage} />
      <Route path="/import-export" component={ImportExportPage} />
      <Route path="/playground" component={PlaygroundPage} />
      <Route path="/segments" component={SegmentsPage} />
      <Route path="/segments/create">
        <Required title="New segment" endpoint="POST /segments">
          <NewSegmentPage />
        </Required>
      </Route>
      <Route path="/segments/edit/:segmentId">
        {({ segmentId }) => (
          <Required title="Segment" endpoint="PUT /segments/{segmentId}">
            <SegmentPage key={segmentId} segmentId={Number(segmentId)} />
          </Required>
        )}
      </Route>
      <Route path="/projects/:projectId">
        {({ projectId }) => <ProjectPage key={projectId} projectId={decoded(projectId)} />}
      </Route>
      <Route path="/projects/:projectId/compare">
        {({ projectId }) => <ComparePage key={projectId} projectId={decoded(projectId)} />}
      </Route>
      <Route path="/projects/:projectId/changes">
        {({ projectId }) => <ChangesPage key={projectId} projectId={decoded(projectId)} />}
      </Route>
      <Route path="/projects/:projectId/settings">
        {({ projectId }) => <SettingsPage key={projectId} projectId={decoded(projectId)} />}
      </Route>
      <Route path="/projects/:projectId/access">
        {({ projectId }) => <AccessPage key={projectId} projectId={decoded(projectId)} />}
      </Route>
      <Route path="/projects/:projectId/features/:featureName">
        {({ projectId, featureName }) => (
          <FeaturePage key={featureName} place={{ projectId: decoded(projectId), featureName: decoded(featureName) }} />
        )}
      </Route>
      <Route path="/projects/:projectId/features/:featureName/strategies/edit">
        {({ projectId, featureName }) => <StrategyLink projectId={projectId} featureName={featureName} />}
      </Route>
      <Route>
        <Page title="Not found">
          <p>There is no such page.</p>
        </Page>
      </Route>
    </Switch>
  );
}

/** Redirects from the address of a strategy in Unleash, which answers of the playground contain. */
function StrategyLink({ projectId, featureName }: { readonly projectId: string; readonly featureName: string }) {
  const [search] = useSearchParams();
  const query = new URLSearchParams({ tab: 'edit', environment: search.get('environmentId') ?? '' });
  return <Redirect to={`${featurePath(decoded(projectId), decoded(featureName))}?${query}`} replace />;
}
