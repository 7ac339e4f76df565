// Reads the configuration and makes the login that it names.
import type { Session } from './auth.ts';
import { loadConfig } from './config.ts';
import { localAuth } from './local.ts';

export async function openSession(): Promise<Session> {
  const config = await loadConfig();
  if (config.auth.kind === 'local') return { config, auth: localAuth() };
  // Loaded on demand, because local mode does not need it.
  const { oidcAuth } = await import('./oidc.ts');
  return { config, auth: await oidcAuth(config.auth) };
}
