// The headers that protect the console. The page has tokens of users, so it loads nothing from other origins, runs no inline
// script, and cannot be framed.

/** `connectTo` has the origins of the OIDC issuer, which the page gets tokens from. */
export const protectionHeaders = (connectTo: readonly string[] = []): Record<string, string> => ({
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    ["connect-src 'self'", ...connectTo].join(' '),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
});
