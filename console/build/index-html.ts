// The page of the console. It has no inline script and no inline style, because the content security policy refuses both.
interface Page {
  readonly styles: string;
  readonly script: string;
  /** The scripts that `script` imports. The browser fetches them at once instead of one after the other. */
  readonly preload: readonly string[];
}

/** An icon in the address, so that browsers do not ask for /favicon.ico. */
const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Ccircle cx='8' cy='8' r='7' fill='%23006ce0'/%3E%3Cpath d='M8 4v4l3 2' stroke='white' stroke-width='1.6' fill='none' stroke-linecap='round'/%3E%3C/svg%3E";

export const indexHtml = ({ styles, script, preload }: Page): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Punctual</title>
<link rel="icon" href="${ICON}">
<link rel="stylesheet" href="/console/${styles}">
${preload.map((file) => `<link rel="modulepreload" href="/console/${file}">\n`).join('')}<script type="module" src="/console/${script}"></script>
</head>
<body>
<div id="root"></div>
<noscript>The console needs JavaScript. The REST API and the command line work without it.</noscript>
</body>
</html>
`;
