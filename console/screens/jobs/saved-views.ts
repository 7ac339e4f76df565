// Views that a user has saved: names for filters. The browser keeps them, for each user.
export interface SavedView {
  readonly name: string;
  /** The query of the address, without the zone. */
  readonly query: string;
}

export const MAX_VIEWS = 30;

/** Other content, such as that of another version, is no view. */
export function viewsOf(text: string | undefined): SavedView[] {
  try {
    const parsed: unknown = JSON.parse(text ?? '[]');
    if (!Array.isArray(parsed)) return [];
    return parsed.flatMap((view) => {
      const { name, query } = Object(view) as Partial<SavedView>;
      return typeof name === 'string' && name !== '' && typeof query === 'string' ? [{ name, query }] : [];
    });
  } catch {
    return [];
  }
}

/** A view with the same name is replaced. Names are in alphabetical order. */
export const withView = (views: readonly SavedView[], view: SavedView): SavedView[] =>
  [...views.filter(({ name }) => name !== view.name), view]
    .sort((a, b) => a.name.localeCompare(b.name, 'en'))
    .slice(0, MAX_VIEWS);

export const withoutView = (views: readonly SavedView[], name: string): SavedView[] =>
  views.filter((view) => view.name !== name);

/** The parameters of the address that a view has. */
export function viewQuery(params: URLSearchParams): string {
  const kept = new URLSearchParams(params);
  kept.delete('tz');
  kept.sort();
  return kept.toString();
}
