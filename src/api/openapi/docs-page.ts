// The documentation page: Swagger UI with /openapi.json. Its assets come from the npm package, so the page works offline.
// The content security policy forbids loading anything from other origins.
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { NotFound } from '../../domain/errors.ts';
import type { Reply } from '../contract/endpoint.ts';

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  // Swagger UI uses inline styles.
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const PROTECTION = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};

const PAGE = `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>Punctual API</title>
  <link rel="icon" href="data:,">
  <link rel="stylesheet" href="docs/swagger-ui.css">
</head>
<body>
  <div id="docs"></div>
  <script src="docs/swagger-ui-bundle.js"></script>
  <script src="docs/start.js"></script>
</body>
</html>
`;

/**
 * A separate file, because the policy forbids inline scripts. A token stays in the memory of the page. Earlier versions stored it
 * as `authorized`, without an end.
 */
const START = `localStorage.removeItem('authorized');
SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#docs',
  deepLinking: true,
  persistAuthorization: false,
  displayRequestDuration: true,
  validatorUrl: null,
});
`;

/** The assets of the page by file name. Files of the package are read at the first request. */
const FILES: Readonly<Record<string, { readonly type: string; readonly read: () => string }>> = {
  'swagger-ui.css': { type: 'text/css; charset=utf-8', read: () => asset('swagger-ui.css') },
  'swagger-ui-bundle.js': {
    type: 'text/javascript; charset=utf-8',
    read: () => asset('swagger-ui-bundle.js'),
  },
  'start.js': { type: 'text/javascript; charset=utf-8', read: () => START },
};

const assetCache = new Map<string, string>();

/** Reads a file of swagger-ui-dist: the folder of that name next to the bundle, or the installed package. */
function asset(name: string): string {
  const cached = assetCache.get(name);
  if (cached !== undefined) return cached;
  const text = readFileSync(join(assetFolder(), name), 'utf8');
  assetCache.set(name, text);
  return text;
}

function assetFolder(): string {
  const besideBundle = join(import.meta.dirname, 'swagger-ui-dist');
  if (existsSync(besideBundle)) return besideBundle;
  return dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
}

export const docsPage = (): Reply => ({
  body: PAGE,
  headers: { ...PROTECTION, 'cache-control': 'no-cache' },
});

export function docsFile(name: string): Reply {
  const file = Object.hasOwn(FILES, name) ? FILES[name] : undefined;
  if (!file) throw new NotFound('page', name);
  return {
    body: file.read(),
    headers: { ...PROTECTION, 'content-type': file.type, 'cache-control': 'public, max-age=86400' },
  };
}
