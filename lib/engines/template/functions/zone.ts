import type { Zone } from '../values/zone.ts'

/** The time zone of that name at an instant; UTC for an unknown name, as in sprig. */
export const zoneAt = (name: string, instant: Date): Zone => {
  const known = knownName(name)
  const [, sign, hours, minutes, seconds] = /([+-])(\d{2}):(\d{2})(?::(\d{2}))?/.exec(
    shown(known, instant, 'en-US', 'longOffset'),
  )!
  const size = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds ?? 0)
  // Without an abbreviation, a zone is named by its offset.
  const byOffset = `${sign}${hours}${minutes!.replace('00', '')}`
  const letters = LETTERLESS.has(known) ? undefined : lettersOf(name, known, byOffset, instant)
  return { name: letters ?? byOffset, offset: sign === '-' ? -size : size }
}

const lettersOf = (name: string, known: string, byOffset: string, instant: Date): string | undefined =>
  LETTERS[name]?.[byOffset] ??
  LETTERS[known]?.[byOffset] ??
  LOCALES.map(locale => shown(known, instant, locale, 'short')).find(short => /[A-Z]$/.test(short))

/** Locales in which Intl returns the time zone database's abbreviations. */
const LOCALES = ['en-US', 'en-CA', 'en-GB', 'en-AU', 'en-NZ', 'en-ZA', 'en-KE', 'en-IN', 'ja-JP']

const inZones = (zones: string, letters: Readonly<Record<string, string>>) =>
  zones.split(' ').map(zone => [zone, letters] as const)

/** Zones for which locales have an abbreviation and the time zone database has none. */
const LETTERLESS = new Set([
  ...['America/Miquelon', 'Antarctica/Casey', 'Antarctica/Troll', 'Asia/Colombo', 'Asia/Dubai', 'Asia/Muscat'],
  ...['Australia/Eucla', 'Australia/Lord_Howe', 'Pacific/Chatham'],
])

/** Abbreviations by offset, where no locale has one, or has a different one. */
const LETTERS: Readonly<Record<string, Readonly<Record<string, string>>>> = Object.fromEntries([
  ...inZones('America/Adak', { '-10': 'HST', '-09': 'HDT' }),
  ...inZones('America/Dawson America/Hermosillo America/Mazatlan America/Whitehorse', { '-07': 'MST' }),
  ...inZones('America/Havana', { '-05': 'CST', '-04': 'CDT' }),
  ...inZones('Asia/Hong_Kong', { '+08': 'HKT' }),
  ...inZones('Asia/Jakarta Asia/Pontianak', { '+07': 'WIB' }),
  ...inZones('Asia/Makassar', { '+08': 'WITA' }),
  ...inZones('Asia/Jayapura', { '+09': 'WIT' }),
  ...inZones('Asia/Jerusalem', { '+02': 'IST', '+03': 'IDT' }),
  ...inZones('Asia/Karachi', { '+05': 'PKT' }),
  ...inZones('Asia/Macau Asia/Shanghai Asia/Taipei', { '+08': 'CST' }),
  ...inZones('Asia/Manila', { '+08': 'PST' }),
  ...inZones('Asia/Pyongyang Asia/Seoul', { '+09': 'KST' }),
  ...inZones('Europe/Dublin', { '+01': 'IST' }),
  ...inZones('Europe/Guernsey Europe/Isle_of_Man Europe/Jersey', { '+01': 'BST' }),
  ...inZones('Europe/Kirov Europe/Moscow Europe/Simferopol Europe/Volgograd', { '+03': 'MSK' }),
  ...inZones('Etc/GMT Etc/GMT+0 Etc/GMT-0 Etc/GMT0 Etc/Greenwich GMT GMT+0 GMT-0 GMT0 Greenwich', { '+00': 'GMT' }),
  ...inZones('MET', { '+01': 'MET', '+02': 'MEST' }),
  ...inZones('Pacific/Guam Pacific/Saipan', { '+10': 'ChST' }),
  ...inZones('Pacific/Midway Pacific/Pago_Pago', { '-11': 'SST' }),
])

const shown = (timeZone: string, instant: Date, locale: string, timeZoneName: 'longOffset' | 'short'): string =>
  new Intl.DateTimeFormat(locale, { timeZone, timeZoneName })
    .formatToParts(instant)
    .find(({ type }) => type === 'timeZoneName')!.value

/** The zone's name as Intl spells it. In Go, names are case-sensitive file names. */
const knownName = (name: string): string => {
  try {
    const known = new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone
    return known === name || known.toLowerCase() !== name.toLowerCase() ? known : 'UTC'
  } catch {
    return 'UTC'
  }
}
