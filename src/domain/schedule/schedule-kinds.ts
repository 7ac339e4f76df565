// The kinds of schedules and the fields that each may have. This file runs in a browser, so it has no zod.

export const KINDS = ['at', 'in', 'cron', 'every', 'calendar'] as const;
export type Kind = (typeof KINDS)[number];

/** The fields that each kind may have besides its own. */
export const COMBINES_WITH: Record<Kind, readonly string[]> = {
  at: ['timezone'],
  in: [],
  cron: ['timezone', 'startAt', 'endAt', 'except', 'jitterSeconds', 'dst'],
  every: ['timezone', 'startAt', 'endAt', 'except', 'jitterSeconds'],
  calendar: ['timezone', 'startAt', 'endAt', 'except', 'jitterSeconds', 'dst'],
};

export const MAX_JITTER_SECONDS = 3600;
