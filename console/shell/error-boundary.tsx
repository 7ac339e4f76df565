// Shows an error of the page itself, instead of an empty page. The rest of the console stays usable.
import Alert from '@cloudscape-design/components/alert';
import Button from '@cloudscape-design/components/button';
import { Component, type ReactNode } from 'react';

interface Props {
  readonly children: ReactNode;
  /** A change of it, such as another address, tries again. */
  readonly resetKey?: string;
}

interface State {
  readonly error: Error | undefined;
  readonly resetKey: string | undefined;
}

export class ErrorBoundary extends Component<Props, State> {
  override state: State = { error: undefined, resetKey: this.props.resetKey };

  static getDerivedStateFromError(error: unknown): Partial<State> {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  static getDerivedStateFromProps({ resetKey }: Props, state: State): Partial<State> | null {
    return resetKey === state.resetKey ? null : { error: undefined, resetKey };
  }

  override render() {
    const { error } = this.state;
    if (!error) return this.props.children;
    return (
      <div className="start-page">
        <Alert
          type="error"
          header="This page has an error"
          action={<Button onClick={() => location.reload()}>Load again</Button>}
        >
          <p className="problem-detail">{error.message}</p>
          <details>
            <summary>Details for a bug report</summary>
            <pre className="command">{error.stack}</pre>
          </details>
        </Alert>
      </div>
    );
  }
}
