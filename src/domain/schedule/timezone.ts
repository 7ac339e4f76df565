// Converts a timezone to the stored form: an IANA name in its official case, or a fixed offset as ±hh:mm.

import { joined } from './describe-fields.ts';
import { offsetText } from './instant.ts';
import { quote, refuse } from './refuse.ts';
import { fixedOffset, isTimezone } from './zones.ts';

/**
 * Abbreviations that Intl accepts with the meaning that Java gave them in 1996: BST is Asia/Dhaka, AST is America/Anchorage.
 * The values are the timezones that a caller may have meant.
 */
const ABBREVIATIONS: Readonly<Record<string, string>> = {
  ACT: 'Australia/Darwin',
  AET: 'Australia/Sydney',
  AGT: 'America/Argentina/Buenos_Aires',
  ART: 'America/Argentina/Buenos_Aires Africa/Cairo',
  AST: 'America/Halifax Asia/Riyadh America/Anchorage',
  BET: 'America/Sao_Paulo',
  BST: 'Europe/London Asia/Dhaka',
  CAT: 'Africa/Maputo',
  CNT: 'America/St_Johns',
  CST: 'America/Chicago Asia/Shanghai',
  CTT: 'Asia/Shanghai',
  EAT: 'Africa/Nairobi',
  ECT: 'America/Guayaquil Europe/Paris',
  IET: 'America/Indiana/Indianapolis',
  IST: 'Asia/Kolkata Europe/Dublin Asia/Jerusalem',
  JST: 'Asia/Tokyo',
  MIT: 'Pacific/Apia Pacific/Marquesas',
  NET: 'Asia/Yerevan',
  NST: 'America/St_Johns Pacific/Auckland',
  PLT: 'Asia/Karachi',
  PNT: 'America/Phoenix',
  PRT: 'America/Puerto_Rico',
  PST: 'America/Los_Angeles Asia/Manila',
  SST: 'Pacific/Pago_Pago Pacific/Guadalcanal',
  VST: 'Asia/Ho_Chi_Minh',
};

export function resolveTimezone(given: string): string {
  const meant = ABBREVIATIONS[given.toUpperCase()];
  if (meant) {
    refuse(
      'schedule.timezone',
      `${quote(given)} is an ambiguous abbreviation; use an IANA timezone such as ${joined(meant.split(' '), 'or')}`,
    );
  }
  const offset = fixedOffset(given);
  if (offset !== undefined) return offset !== 0 ? offsetText(offset) : given === 'UTC' ? given : '+00:00';
  // Intl accepts offsets up to 23:59.
  if (/^[+-]/.test(given) || !isTimezone(given)) {
    refuse(
      'schedule.timezone',
      `${quote(given)} is not an IANA timezone such as Europe/Paris or UTC, nor a fixed offset from -15:59 to +15:59`,
    );
  }
  return inOwnCase(given);
}

/** IANA names that are not capitalized at the start and after each of `/ _ -`, and nowhere else. */
const IRREGULAR = new Map(
  `Africa/Dar_es_Salaam America/Argentina/ComodRivadavia America/Knox_IN America/Port-au-Prince America/Port_of_Spain
  Antarctica/DumontDUrville Antarctica/McMurdo Australia/ACT Australia/LHI Australia/NSW Brazil/DeNoronha
  Chile/EasterIsland Europe/Isle_of_Man Mexico/BajaNorte Mexico/BajaSur
  CET CST6CDT EET EST EST5EDT GB GB-Eire GMT GMT+0 GMT-0 GMT0 HST MET MST MST7MDT NZ NZ-CHAT PRC PST8PDT ROC ROK
  UCT UTC W-SU WET`
    .split(/\s+/)
    .map((name) => [name.toLowerCase(), name]),
);

/** The name in its official case. Intl cannot give it: it replaces a link such as GB by its target. */
const inOwnCase = (given: string): string =>
  IRREGULAR.get(given.toLowerCase()) ??
  given
    .toLowerCase()
    .replace(/(^|[/_-])[a-z]/g, (start) => start.toUpperCase())
    .replace(/^Us\/|^Etc\/(Gmt|Utc|Uct)/, (start) =>
      start === 'Us/' ? 'US/' : `Etc/${start.slice(4).toUpperCase()}`,
    );
