// The frame around the screens: top bar, side bar, messages, and the keyboard.
import AppLayout from '@cloudscape-design/components/app-layout';
import { useQueryClient } from '@tanstack/react-query';
import { Suspense, useEffect, useState } from 'react';
import { Route, Switch, useLocation } from 'wouter';
import { watchInput } from '../api/live.ts';
import { useShortcutListener, useShortcuts } from '../keyboard/shortcuts.ts';
import { Skeleton } from '../parts/loaded.tsx';
import { Page } from '../parts/page.tsx';
import { SCREENS } from '../routes.tsx';
import { TrayView } from '../tray/tray-view.tsx';
import { ConnectionBar } from './connection-bar.tsx';
import { ErrorBoundary } from './error-boundary.tsx';
import { KeyboardHelp } from './keyboard-help.tsx';
import { SideBar } from './side-bar.tsx';
import { TopBar } from './top-bar.tsx';
import { useScrollToTop } from './use-scroll-to-top.ts';
import { useTopBarHeight } from './use-top-bar-height.ts';

export function Shell() {
  const [help, setHelp] = useState(false);
  const [location] = useLocation();
  const [menuOpen, setMenuOpen] = useState(() => matchMedia('(min-width: 1000px)').matches);
  const queryClient = useQueryClient();
  const topBar = useTopBarHeight();
  useScrollToTop();
  useShortcutListener();
  useShortcuts([{ keys: '?', what: 'Show this help', group: 'Everywhere', run: () => setHelp(true) }]);
  useEffect(() => watchInput(() => void queryClient.refetchQueries({ type: 'active' })), [queryClient]);
  return (
    <>
      <div id="top-bar" ref={topBar}>
        <TopBar onHelp={() => setHelp(true)} />
        <ConnectionBar />
      </div>
      <AppLayout
        headerSelector="#top-bar"
        toolsHide
        navigation={<SideBar />}
        navigationWidth={200}
        navigationOpen={menuOpen}
        onNavigationChange={({ detail }) => setMenuOpen(detail.open)}
        ariaLabels={{
          navigation: 'Screens',
          navigationClose: 'Close the side bar',
          navigationToggle: 'Open the side bar',
          notifications: 'Notifications',
        }}
        maxContentWidth={Number.MAX_VALUE}
        content={
          <ErrorBoundary resetKey={location}>
            <Suspense fallback={<Skeleton />}>
              <Switch>
                {SCREENS.map(({ path, screen }) => (
                  <Route key={path} path={path} component={screen} />
                ))}
                <Route>
                  <Page title="There is no such page">The address may have been mistyped.</Page>
                </Route>
              </Switch>
            </Suspense>
          </ErrorBoundary>
        }
      />
      <TrayView />
      <KeyboardHelp visible={help} onDismiss={() => setHelp(false)} />
    </>
  );
}
