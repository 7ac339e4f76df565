// The documentation page: Swagger UI with /openapi.json. Its assets come from the npm package, so the page works offline.
// The content security policy forbids loading anything from other origins.
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { NotFound } from '../../domain/errors.ts';
import type { Reply } from '../contract/endpoint.ts';
import { fingerprint } from '../http/conditional-get.ts';
import { builtFile, compressedOnDemand, type StaticFile, staticReply } from '../http/static-file.ts';

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

const pageOf = (names: ReadonlyMap<string, string>): string => `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>Punctual API</title>
  <link rel="icon" href="data:,">
  <link rel="stylesheet" href="docs/${names.get('swagger-ui.css')}">
</head>
<body>
  <div id="docs"></div>
  <script src="docs/${names.get('swagger-ui-bundle.js')}"></script>
  <script src="docs/${names.get('start.js')}"></script>
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

interface Docs {
  readonly page: string;
  /** By name with hash, such as `swagger-ui-<hash>.css`. */
  readonly files: ReadonlyMap<string, StaticFile>;
}

/** The compressed copy of a build, or the file itself. */
type Asset =
  | { readonly brotli: Buffer; readonly plain?: undefined }
  | { readonly plain: Buffer; readonly brotli?: undefined };

let docs: Docs | undefined;

/** Reads the files at the first request. */
function load(): Docs {
  const names = new Map<string, string>();
  const files = new Map<string, StaticFile>();
  const add = (name: string, { plain, brotli }: Asset): void => {
    const [stem = '', extension] = name.split('.');
    const type = extension === 'css' ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8';
    const hashed = `${stem}-${fingerprint(brotli ?? plain)}.${extension}`;
    names.set(name, hashed);
    files.set(hashed, brotli ? builtFile(type, undefined, brotli) : compressedOnDemand(type, plain));
  };
  for (const name of ['swagger-ui.css', 'swagger-ui-bundle.js']) add(name, asset(name));
  add('start.js', { plain: Buffer.from(START) });
  return { page: pageOf(names), files };
}

/** A file of swagger-ui-dist: the compressed copy beside the bundle, or the file of the installed package. */
function asset(name: string): Asset {
  const compressed = join(import.meta.dirname, 'swagger-ui-dist', `${name}.br`);
  if (existsSync(compressed)) return { brotli: readFileSync(compressed) };
  const installed = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  return { plain: readFileSync(join(installed, name)) };
}

/** The names of files have a hash of their content, so a name never gets other content. */
const IMMUTABLE = 'public, max-age=31536000, immutable';

export function docsPage(): Reply {
  docs ??= load();
  return { body: docs.page, headers: { ...PROTECTION, 'cache-control': 'no-cache' } };
}

export async function docsFile(name: string, acceptEncoding: string | undefined): Promise<Reply> {
  docs ??= load();
  const file = docs.files.get(name);
  if (!file) throw new NotFound('page', name);
  const { body, headers } = await staticReply(file, acceptEncoding, IMMUTABLE);
  return { body, headers: { ...PROTECTION, ...headers } };
}
