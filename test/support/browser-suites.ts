// The suites that need a browser. They are skipped with a message where there is none.
import { findChromium } from '../console/browser/chromium.ts';

const SUITES = 'test/console/browser/**/*.test.ts';

/** The patterns of the suites that run on this machine. */
export function browserSuites(): readonly string[] {
  if (findChromium() !== undefined) return [SUITES];
  console.warn(
    `There is no Chromium for ${process.platform}-${process.arch} in the package @sparticuz/chromium, so the suites ${SUITES} do not run. Set PUNCTUAL_CHROMIUM to the path of a Chromium to run them.`,
  );
  return [];
}
