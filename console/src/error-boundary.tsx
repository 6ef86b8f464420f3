/** Shows a message instead of an empty page if a part of the console fails. */
import { Component, type ReactNode } from 'react';

interface ErrorBoundaryProps {
  /** The beginning of a sentence that says what has failed. */
  readonly what: string;
  readonly children: ReactNode;
}

interface BoundaryState {
  readonly error: Error | undefined;
}

export class ErrorBoundary extends Component<ErrorBoundaryProps, BoundaryState> {
  override readonly state: BoundaryState = { error: undefined };

  static getDerivedStateFromError(error: Error): BoundaryState {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (!error) return this.props.children;
    return (
      <div className="failure" role="alert">
        <p>
          {this.props.what}: {error.message}
        </p>
        <button type="button" onClick={() => location.reload()}>
          Load the page again
        </button>
      </div>
    );
  }
}
