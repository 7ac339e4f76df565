// The time zone in which times are shown.
export const ZONE_CHOICES = ['utc', 'mine', 'job'] as const;
export type ZoneChoice = (typeof ZONE_CHOICES)[number];

export const ZONE_TITLES: Readonly<Record<ZoneChoice, string>> = {
  utc: 'UTC',
  mine: 'My time zone',
  job: "The job's time zone",
};

export const zoneChoiceOf = (text: string | null | undefined): ZoneChoice | undefined =>
  ZONE_CHOICES.find((choice) => choice === text);

/** The choice after this one, in the order of the menu. */
export const nextZoneChoice = (choice: ZoneChoice): ZoneChoice =>
  ZONE_CHOICES[(ZONE_CHOICES.indexOf(choice) + 1) % ZONE_CHOICES.length] ?? 'utc';

interface Zones {
  /** The choice in the address or, without one, the last choice of the user. */
  readonly choice: ZoneChoice | undefined;
  /** The zone of the job that the time belongs to. Undefined if it belongs to none, or the job has none. */
  readonly job: string | undefined;
  /** True if the page is about one job. Then its zone is the default. */
  readonly isPageOfJob: boolean;
  readonly mine: string;
}

/** The IANA name of the zone, and the choice in effect. A time that belongs to no job is in UTC if the choice is `job`. */
export function zoneOf({ choice, job, isPageOfJob, mine }: Zones): { zone: string; choice: ZoneChoice } {
  const inEffect = choice ?? (isPageOfJob ? 'job' : 'mine');
  const zones: Readonly<Record<ZoneChoice, string>> = { utc: 'UTC', mine, job: job ?? 'UTC' };
  return { zone: zones[inEffect], choice: inEffect };
}
