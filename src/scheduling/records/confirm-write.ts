// Conditional writes whose response may be lost.

/**
 * Whether a conditional write took effect. A lost response shows as a failed write, or as a refused one if the SDK sent the
 * request twice. In both cases `isOurs` reads the item and looks for a value that only this write can have put there.
 */
export async function confirmWrite(
  write: () => Promise<boolean>,
  isOurs: () => Promise<boolean>,
): Promise<boolean> {
  let failure: unknown;
  try {
    if (await write()) return true;
  } catch (error) {
    failure = error;
  }
  if (await isOurs()) return true;
  if (failure) throw failure;
  return false;
}
