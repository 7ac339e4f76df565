// The side bar: the screens of the user, and those for operators.
import SideNavigation, { type SideNavigationProps } from '@cloudscape-design/components/side-navigation';
import { useLocation } from 'wouter';
import { isOperator, useSession } from '../auth/auth.ts';
import { useShortcuts } from '../keyboard/shortcuts.ts';
import { SCREENS } from '../routes.tsx';

export function SideBar() {
  const [location, navigate] = useLocation();
  const session = useSession();
  const shown = SCREENS.filter(({ menu }) => menu && (!menu.operatorsOnly || isOperator(session)));
  useShortcuts(
    shown.flatMap(({ goKey, menu, path }) =>
      goKey
        ? [
            {
              keys: `g ${goKey}`,
              what: `Go to ${menu?.text}`,
              group: 'Everywhere',
              run: () => navigate(path),
            },
          ]
        : [],
    ),
  );
  const item = ({ menu, path }: (typeof shown)[number]): SideNavigationProps.Link => ({
    type: 'link',
    text: menu?.text ?? '',
    href: `/console${path}`,
    ...(menu?.Count && { info: <menu.Count /> }),
  });
  const forUsers = shown.filter(({ menu }) => !menu?.operatorsOnly);
  const forOperators = shown.filter(({ menu }) => menu?.operatorsOnly);
  const active = SCREENS.filter(
    ({ menu, path }) => menu && (location === path || location.startsWith(`${path}/`)),
  )
    .map(({ path }) => path)
    .sort((a, b) => b.length - a.length)[0];
  return (
    <SideNavigation
      activeHref={`/console${active ?? location}`}
      items={[
        ...forUsers.map(item),
        ...(forOperators.length > 0
          ? [
              { type: 'divider' } as const,
              { type: 'section-group', title: 'Operators', items: forOperators.map(item) } as const,
            ]
          : []),
      ]}
      onFollow={(event) => {
        if (event.detail.external) return;
        event.preventDefault();
        navigate(event.detail.href.replace(/^\/console/, ''));
      }}
    />
  );
}
