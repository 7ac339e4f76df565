// Days around the clock changes of many zones, with what the clocks show in each minute.
import { clockFaces } from './oracle.ts';

const WINDOWS: [zone: string, from: string, days: number, what: string][] = [
  ['America/New_York', '2025-03-08T00:00:00Z', 3, 'forward at 02:00'],
  ['America/New_York', '2025-11-01T00:00:00Z', 3, 'back at 02:00'],
  ['Europe/London', '2025-03-29T00:00:00Z', 3, 'forward at 01:00'],
  ['Europe/London', '2025-10-25T00:00:00Z', 3, 'back at 02:00'],
  ['Africa/Cairo', '2025-04-24T00:00:00Z', 3, 'forward at midnight'],
  ['Africa/Cairo', '2025-10-29T12:00:00Z', 3, 'back at midnight'],
  ['America/Santiago', '2025-09-06T00:00:00Z', 3, 'forward at midnight'],
  ['America/Santiago', '2025-04-05T00:00:00Z', 3, 'back at midnight'],
  ['America/Havana', '2025-03-08T00:00:00Z', 3, 'forward at midnight'],
  ['Australia/Lord_Howe', '2025-10-04T00:00:00Z', 3, 'forward by 30 minutes'],
  ['Australia/Lord_Howe', '2025-04-05T00:00:00Z', 3, 'back by 30 minutes'],
  ['America/Nuuk', '2025-03-28T12:00:00Z', 3, 'forward over the last hour of a day'],
  ['America/Nuuk', '2025-10-25T00:00:00Z', 3, 'back to the last hour of the day before'],
  ['America/Scoresbysund', '2027-03-26T12:00:00Z', 3, 'forward over the last hour of a day'],
  ['Asia/Beirut', '2027-03-26T12:00:00Z', 3, 'forward at midnight'],
  ['Asia/Gaza', '2026-03-27T00:00:00Z', 3, 'forward at two'],
  ['Asia/Singapore', '1981-12-30T12:00:00Z', 3, 'forward over the last half hour of a year'],
  ['Pacific/Kwajalein', '1993-08-20T00:00:00Z', 4, 'a whole day left out'],
  ['Pacific/Apia', '2011-12-29T00:00:00Z', 4, 'a whole day left out'],
  ['Africa/Casablanca', '2025-02-22T12:00:00Z', 3, 'back for Ramadan'],
  ['Africa/Casablanca', '2025-04-05T12:00:00Z', 3, 'forward after Ramadan'],
  ['America/Caracas', '2007-12-08T12:00:00Z', 3, 'back by 30 minutes'],
  ['Asia/Pyongyang', '2018-05-03T12:00:00Z', 3, 'forward by 30 minutes'],
  ['Antarctica/Troll', '2025-03-29T12:00:00Z', 3, 'forward by two hours'],
  ['Antarctica/Troll', '2025-10-25T12:00:00Z', 3, 'back by two hours'],
  ['Asia/Kolkata', '2027-12-30T12:00:00Z', 3, 'no change, over New Year'],
  ['UTC', '2028-02-28T00:00:00Z', 3, 'a leap day'],
];

export const windows = WINDOWS.map(([zone, from, days, what]) => ({
  zone,
  what,
  faces: clockFaces(zone, from, days),
}));
