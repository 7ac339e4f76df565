// The top bar: search, refresh interval, time zone, theme and user.
import type { ButtonDropdownProps } from '@cloudscape-design/components/button-dropdown';
import TopNavigation, { type TopNavigationProps } from '@cloudscape-design/components/top-navigation';
import { useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { pauses, refresh } from '../api/live.ts';
import { REFRESH_CHOICES, type Refresh } from '../api/polling.ts';
import { isOperator, useSession } from '../auth/auth.ts';
import { useShortcuts } from '../keyboard/shortcuts.ts';
import { useSetZone, useZone } from '../parts/zone.tsx';
import { nextZoneChoice, ZONE_CHOICES, ZONE_TITLES, type ZoneChoice } from '../parts/zone-choice.ts';
import { HOME } from '../routes.tsx';
import { useValue } from '../state/use-value.ts';
import { Search } from './search.tsx';
import { THEMES, type Theme, theme } from './theme.ts';

const REFRESH_TITLES: Readonly<Record<Refresh, string>> = {
  auto: 'Automatic',
  '2': 'Every 2 s',
  '5': 'Every 5 s',
  '10': 'Every 10 s',
  '60': 'Every 60 s',
  off: 'Off',
};
const THEME_TITLES: Readonly<Record<Theme, string>> = { auto: 'As the system', light: 'Light', dark: 'Dark' };

export function TopBar({ onHelp }: { onHelp: () => void }) {
  const [, navigate] = useLocation();
  const session = useSession();
  const utilities = [useRefreshMenu(), useZoneMenu(), useThemeMenu(), userMenu(session, onHelp)];
  return (
    <TopNavigation
      identity={{
        title: 'Punctual',
        href: '/console/',
        onFollow: (event) => {
          event.preventDefault();
          navigate(HOME);
        },
      }}
      search={<Search />}
      utilities={utilities}
      i18nStrings={{
        searchIconAriaLabel: 'Search',
        searchDismissIconAriaLabel: 'Close the search',
        overflowMenuTriggerText: 'More',
        overflowMenuTitleText: 'All',
        overflowMenuBackIconAriaLabel: 'Back',
        overflowMenuDismissIconAriaLabel: 'Close the menu',
      }}
    />
  );
}

function useRefreshMenu(): TopNavigationProps.Utility {
  const choice = useValue(refresh);
  const paused = useValue(pauses) > 0;
  const { config } = useSession();
  const queryClient = useQueryClient();
  const refreshNow = () => void queryClient.refetchQueries({ type: 'active' });
  useShortcuts([{ keys: '.', what: 'Refresh', group: 'Everywhere', run: refreshNow }]);
  const usual = config.auth.kind === 'local' ? 'every 2 s' : 'every 5 to 60 s';
  const state =
    paused && choice !== 'off'
      ? 'paused'
      : choice === 'off'
        ? 'off'
        : choice === 'auto'
          ? 'live'
          : `${choice} s`;
  return {
    type: 'menu-dropdown',
    iconName: 'refresh',
    text: `Refresh: ${state}`,
    title: 'Refresh interval',
    description: paused ? 'Paused while rows are selected' : `Automatic is ${usual}`,
    items: [{ id: 'now', text: 'Refresh now' }, ...choices(REFRESH_CHOICES, REFRESH_TITLES, choice)],
    onItemClick: ({ detail }) => {
      if (detail.id === 'now') refreshNow();
      else refresh.set(detail.id as Refresh);
    },
  };
}

function useZoneMenu(): TopNavigationProps.Utility {
  const { choice } = useZone();
  const setZone = useSetZone();
  useShortcuts([
    { keys: 't', what: 'Next time zone', group: 'Everywhere', run: () => setZone(nextZoneChoice(choice)) },
  ]);
  const short: Readonly<Record<ZoneChoice, string>> = { utc: 'UTC', mine: 'mine', job: "the job's" };
  return {
    type: 'menu-dropdown',
    iconName: 'calendar',
    text: `Time: ${short[choice]}`,
    title: 'Time zone',
    items: choices(ZONE_CHOICES, ZONE_TITLES, choice),
    onItemClick: ({ detail }) => setZone(detail.id as ZoneChoice),
  };
}

function useThemeMenu(): TopNavigationProps.Utility {
  const choice = useValue(theme);
  return {
    type: 'menu-dropdown',
    iconName: 'settings',
    ariaLabel: 'Theme',
    title: 'Theme',
    items: choices(THEMES, THEME_TITLES, choice),
    onItemClick: ({ detail }) => theme.set(detail.id as Theme),
  };
}

const API_DOCUMENTATION = {
  id: 'api',
  text: 'API documentation',
  href: '/docs',
  external: true,
  externalIconAriaLabel: 'Opens a new tab',
};

function userMenu(session: ReturnType<typeof useSession>, onHelp: () => void): TopNavigationProps.Utility {
  const { auth, config } = session;
  const user = auth.user();
  const place = config.region ?? (auth.kind === 'local' ? 'this machine' : '');
  return {
    type: 'menu-dropdown',
    iconName: 'user-profile',
    text: user?.name ?? 'User',
    title: user?.name ?? 'User',
    description: [isOperator(session) ? 'Operator' : 'User', place, `version ${config.version}`]
      .filter((part) => part !== '')
      .join(', '),
    items: [
      { id: 'keyboard', text: 'Keyboard shortcuts' },
      ...(config.docs === false ? [] : [API_DOCUMENTATION]),
      { id: 'logout', text: 'Log out' },
    ],
    onItemClick: ({ detail }) => {
      if (detail.id === 'keyboard') onHelp();
      if (detail.id === 'logout') auth.logout();
    },
  };
}

const choices = <Id extends string>(
  ids: readonly Id[],
  titles: Readonly<Record<Id, string>>,
  chosen: Id,
): ButtonDropdownProps.CheckboxItem[] =>
  ids.map((id) => ({ itemType: 'checkbox', id, text: titles[id], checked: id === chosen }));
