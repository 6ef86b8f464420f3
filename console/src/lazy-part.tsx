/** A part of the console that the browser loads when it is shown. */
import { Component, type ComponentType, lazy, type ReactNode, Suspense } from 'react';

/** `load` imports the module and picks the component of it. */
export function lazyPart<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  const Part = lazy(async () => ({ default: await load() }));
  return (props) => (
    <LoadBoundary>
      <Suspense fallback={<p className="waiting">Loading…</p>}>
        <Part {...props} />
      </Suspense>
    </LoadBoundary>
  );
}

interface BoundaryState {
  readonly error: Error | undefined;
}

/** An upgrade of Vexil replaces the files that a page of before would load. */
class LoadBoundary extends Component<{ readonly children: ReactNode }, BoundaryState> {
  override readonly state: BoundaryState = { error: undefined };

  static getDerivedStateFromError(error: Error): BoundaryState {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (!error) return this.props.children;
    return (
      <div className="failure" role="alert">
        <p>This part could not be loaded: {error.message}</p>
        <button type="button" onClick={() => location.reload()}>
          Load the page again
        </button>
      </div>
    );
  }
}
