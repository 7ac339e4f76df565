// The console could not start: no configuration, or a login that failed.
import { Problem } from '../parts/problem.tsx';

export const StartProblem = ({ error }: { error: unknown }) => (
  <main className="start-page">
    <Problem error={error} onRetry={() => location.reload()} />
  </main>
);
