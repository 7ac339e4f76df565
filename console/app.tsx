// The console: its configuration, the login, and then the shell with the screens.
import { I18nProvider } from '@cloudscape-design/components/i18n';
import english from '@cloudscape-design/components/i18n/messages/all.en';
import { QueryClientProvider } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { Router } from 'wouter';
import { ApiContext, createApi, createQueryClient } from './api/api.ts';
import { type Session, SessionContext } from './auth/auth.ts';
import { openSession } from './auth/open-session.ts';
import { Skeleton } from './parts/loaded.tsx';
import { ErrorBoundary } from './shell/error-boundary.tsx';
import { LoginPage } from './shell/login-page.tsx';
import { OfferedSession } from './shell/offered-session.tsx';
import { Shell } from './shell/shell.tsx';
import { StartProblem } from './shell/start-problem.tsx';
import { useValue } from './state/use-value.ts';

export function App() {
  const [session, setSession] = useState<Session>();
  const [problem, setProblem] = useState<unknown>();
  useEffect(() => {
    openSession().then(setSession, setProblem);
  }, []);
  return (
    <I18nProvider locale="en" messages={[english]}>
      <ErrorBoundary>
        {problem !== undefined ? (
          <StartProblem error={problem} />
        ) : session ? (
          <SessionContext.Provider value={session}>
            <Screens session={session} />
          </SessionContext.Provider>
        ) : (
          <Skeleton lines={4} />
        )}
      </ErrorBoundary>
    </I18nProvider>
  );
}

function Screens({ session }: { session: Session }) {
  const { auth } = session;
  const state = useValue(auth.state);
  const api = useMemo(() => createApi(auth), [auth]);
  const [queryClient] = useState(createQueryClient);
  if (state !== 'loggedIn') return <LoginPage />;
  return (
    <ApiContext.Provider value={api}>
      <QueryClientProvider client={queryClient}>
        <Router base="/console">
          <Shell />
          <OfferedSession />
        </Router>
      </QueryClientProvider>
    </ApiContext.Provider>
  );
}
