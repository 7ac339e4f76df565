// Names of timezones: stored in their own case, links kept, abbreviations refused, fixed offsets taken.
import { describe, expect, test } from 'vitest';
import { InvalidInput } from '../../../src/domain/errors.ts';
import { describeSchedule } from '../../../src/domain/schedule/describe.ts';
import { nextOccurrence } from '../../../src/domain/schedule/occurrences.ts';
import { resolveSchedule } from '../../../src/domain/schedule/resolve.ts';

const NOW = Date.parse('2026-12-01T10:00:00Z');
const resolve = (timezone: string) => resolveSchedule({ cron: '0 9 * * *', timezone }, NOW);
const stored = (timezone: string): string | undefined => resolve(timezone).timezone;

function refusal(timezone: string): string {
  try {
    resolve(timezone);
  } catch (error) {
    if (error instanceof InvalidInput) return error.message;
    throw error;
  }
  return 'accepted';
}

/** All names of tzdata 2025b that are links or have an unusual case; the usual ones come from Intl. */
const LINKS = `
Africa/Asmera Africa/Dar_es_Salaam Africa/Timbuktu America/Argentina/ComodRivadavia America/Atka America/Buenos_Aires
America/Catamarca America/Coral_Harbour America/Ensenada America/Fort_Wayne America/Godthab America/Indianapolis
America/Knox_IN America/Nuuk America/Port-au-Prince America/Port_of_Spain America/Porto_Acre America/Shiprock
America/Virgin Antarctica/DumontDUrville Antarctica/McMurdo Antarctica/South_Pole Asia/Calcutta Asia/Chungking
Asia/Kathmandu Asia/Kolkata Asia/Macao Asia/Rangoon Asia/Saigon Asia/Tel_Aviv Asia/Ujung_Pandang Asia/Yangon
Atlantic/Faeroe Atlantic/Jan_Mayen Australia/ACT Australia/Canberra Australia/LHI Australia/NSW Australia/North
Australia/Queensland Brazil/Acre Brazil/DeNoronha CET CST6CDT Canada/Newfoundland Canada/Pacific Chile/Continental
Chile/EasterIsland Cuba EET EST EST5EDT Egypt Eire Etc/GMT Etc/GMT+0 Etc/GMT+12 Etc/GMT-0 Etc/GMT-14 Etc/GMT0
Etc/Greenwich Etc/UCT Etc/UTC Etc/Universal Etc/Zulu Europe/Belfast Europe/Isle_of_Man Europe/Kiev Europe/Kyiv
Europe/Nicosia Europe/Tiraspol GB GB-Eire GMT GMT+0 GMT-0 GMT0 Greenwich HST Hongkong Iceland Indian/Maldives Iran
Israel Jamaica Japan Kwajalein Libya MET MST MST7MDT Mexico/BajaNorte Mexico/BajaSur Mexico/General NZ NZ-CHAT
Navajo PRC PST8PDT Pacific/Chuuk Pacific/Yap Poland Portugal ROC ROK Singapore Turkey UCT US/Alaska US/Aleutian
US/Arizona US/Central US/East-Indiana US/Eastern US/Hawaii US/Indiana-Starke US/Michigan US/Mountain US/Pacific
US/Samoa UTC Universal W-SU WET Zulu`
  .trim()
  .split(/\s+/);

describe('the name of a timezone', () => {
  const names = [...new Set([...Intl.supportedValuesOf('timeZone'), ...LINKS])];

  test('is stored in its own case, however it was given; links stay links', () => {
    const wrong = names.filter(
      (name) => stored(name.toLowerCase()) !== name || stored(name.toUpperCase()) !== name,
    );
    expect(names.length).toBeGreaterThan(470);
    expect(wrong).toEqual([]);
  });

  test('means the same in every case', () => {
    const [usual, given] = ['Europe/Paris', 'eUROPE/pARIS'].map((zone) => nextOccurrence(resolve(zone), NOW));
    expect(usual).toBe(Date.parse('2026-12-02T08:00:00Z'));
    expect(given).toBe(usual);
  });

  test('of every kind of schedule is checked', () => {
    for (const kind of [
      { at: '2027-01-01T00:00' },
      { every: 'PT1H' },
      { calendar: { hour: 1 } },
      { cron: 'at(2027-01-01T00:00:00)' },
    ]) {
      expect(resolveSchedule({ ...kind, timezone: 'gb' }, NOW).timezone).toBe('GB');
      expect(() => resolveSchedule({ ...kind, timezone: 'bst' }, NOW)).toThrow('Europe/London');
    }
  });
});

describe('abbreviations', () => {
  test.each([
    ['ACT', 'Australia/Darwin'],
    ['AET', 'Australia/Sydney'],
    ['AGT', 'America/Argentina/Buenos_Aires'],
    ['ART', 'America/Argentina/Buenos_Aires or Africa/Cairo'],
    ['AST', 'America/Halifax, Asia/Riyadh or America/Anchorage'],
    ['BET', 'America/Sao_Paulo'],
    ['BST', 'Europe/London or Asia/Dhaka'],
    ['CAT', 'Africa/Maputo'],
    ['CNT', 'America/St_Johns'],
    ['CST', 'America/Chicago or Asia/Shanghai'],
    ['CTT', 'Asia/Shanghai'],
    ['EAT', 'Africa/Nairobi'],
    ['ECT', 'America/Guayaquil or Europe/Paris'],
    ['IET', 'America/Indiana/Indianapolis'],
    ['IST', 'Asia/Kolkata, Europe/Dublin or Asia/Jerusalem'],
    ['JST', 'Asia/Tokyo'],
    ['MIT', 'Pacific/Apia or Pacific/Marquesas'],
    ['NET', 'Asia/Yerevan'],
    ['NST', 'America/St_Johns or Pacific/Auckland'],
    ['PLT', 'Asia/Karachi'],
    ['PNT', 'America/Phoenix'],
    ['PRT', 'America/Puerto_Rico'],
    ['PST', 'America/Los_Angeles or Asia/Manila'],
    ['SST', 'Pacific/Pago_Pago or Pacific/Guadalcanal'],
    ['VST', 'Asia/Ho_Chi_Minh'],
  ])('%s is refused: %s is meant', (name, meant) => {
    for (const given of [name, name.toLowerCase()]) {
      expect(refusal(given)).toBe(
        `schedule.timezone: "${given}" is an ambiguous abbreviation; use an IANA timezone such as ${meant}`,
      );
    }
    for (const suggested of meant.split(/, | or /)) expect(stored(suggested)).toBe(suggested);
  });

  test('EST, MST and HST are IANA names and stay', () => {
    expect(['EST', 'MST', 'HST'].map(stored)).toEqual(['EST', 'MST', 'HST']);
  });
});

describe('fixed offsets', () => {
  test.each([
    ['+05:30', '+05:30', '2026-12-02T03:30:00Z'],
    ['+0530', '+05:30', '2026-12-02T03:30:00Z'],
    ['-08', '-08:00', '2026-12-01T17:00:00Z'],
    ['-00:00', '+00:00', '2026-12-02T09:00:00Z'],
    ['+15:59', '+15:59', '2026-12-01T17:01:00Z'],
  ])('%s is stored as %s', (given, kept, next) => {
    const schedule = resolve(given);
    expect(schedule.timezone).toBe(kept);
    expect(nextOccurrence(schedule, NOW)).toBe(Date.parse(next));
    expect(describeSchedule(schedule)).toBe(`At 09:00 every day, UTC${kept}`);
  });

  test('give a local time its offset', () => {
    const schedule = resolveSchedule({ at: '2027-01-01T09:00', timezone: '-0330' }, NOW);
    expect(schedule).toEqual({ at: '2027-01-01T09:00-03:30', timezone: '-03:30' });
  });

  test('Etc/GMT+5 counts the other way round: five hours behind UTC', () => {
    expect(nextOccurrence(resolve('etc/gmt+5'), NOW)).toBe(Date.parse('2026-12-01T14:00:00Z'));
  });

  test.each(['+5', '+16:00', '+05:60', 'UTC+5', 'GMT-3', '+05:30:00', '05:30', 'Z'])(
    '%s is refused, with what is allowed',
    (given) => {
      expect(refusal(given)).toBe(
        `schedule.timezone: "${given}" is not an IANA timezone such as Europe/Paris or UTC, nor a fixed offset from -15:59 to +15:59`,
      );
    },
  );
});
