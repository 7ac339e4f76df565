// Light, dark, or as the system says. Cloudscape reads classes of the body.
import { storedValue } from '../state/stored-value.ts';

export const THEMES = ['auto', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

export const theme = storedValue<Theme>('theme', THEMES, 'auto');

/** Sets the classes now and after each change of the choice or of the system. */
export function followTheme(): void {
  const system = matchMedia('(prefers-color-scheme: dark)');
  const apply = () => {
    const choice = theme.get();
    const dark = choice === 'dark' || (choice === 'auto' && system.matches);
    document.documentElement.dataset.theme = dark ? 'dark' : 'light';
    document.body.classList.toggle('awsui-dark-mode', dark);
    document.body.classList.add('awsui-compact-mode');
  };
  theme.subscribe(apply);
  system.addEventListener('change', apply);
  apply();
}
