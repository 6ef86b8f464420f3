/** A part of the console that the browser loads when it is shown. */
import { type ComponentType, lazy, Suspense } from 'react';
import { ErrorBoundary } from './error-boundary.tsx';

/**
 * `load` imports the module and returns its component. It fails after an upgrade of Vexil, which replaces the files
 * that an open page would load.
 */
export function lazyPart<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  const Part = lazy(async () => ({ default: await load() }));
  return (props) => (
    <ErrorBoundary what="This part could not be loaded">
      <Suspense fallback={<p className="waiting">Loading…</p>}>
        <Part {...props} />
      </Suspense>
    </ErrorBoundary>
  );
}
