// The pages that a checkout shows instead of the console while it is being built, and after a build has failed. They have no inline
// script and no style, because the content security policy forbids them. The header `Refresh` reloads them without a script. With
// a fragment in the address, such as the token of a link, Chromium does not reload for that header. Then the script does.
export const RELOAD_SCRIPT_PATH = '/console/reload.js';
export const REFRESH_SECONDS = 1;
export const RELOAD_SCRIPT = `setTimeout(() => location.reload(), ${REFRESH_SECONDS * 1000});\n`;

const page = (title: string, body: string): string => `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>${title}</title>
  <link rel="icon" href="data:,">
  <script src="${RELOAD_SCRIPT_PATH}" defer></script>
</head>
<body>
<h1>${title}</h1>
${body}
</body>
</html>
`;

export const BUILDING_PAGE = page(
  'Building the console',
  '<p>The console is built once for each version of its source. This page reloads by itself.</p>',
);

export const failedPage = (error: string): string =>
  page(
    'The console could not be built',
    `<pre>${escaped(error)}</pre>\n<p>The build starts again when a source file changes. This page reloads by itself.</p>`,
  );

const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
