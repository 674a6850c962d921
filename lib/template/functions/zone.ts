import { UTC, type Zone } from '../values/time.ts'

/** The zone of that name as it is at an instant; UTC for an unknown name, as sprig has it. */
export const zoneAt = (name: string, instant: Date): Zone => {
  const known = knownName(name)
  if (known === undefined) return UTC
  const [, sign, hours, minutes, seconds = '0'] =
    /GMT([+-])(\d{2}):(\d{2})(?::(\d{2}))?/.exec(shown(known, instant, 'en-US', 'longOffset')) ?? GREENWICH
  const size = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)
  const byOffset = `${sign}${hours}${minutes!.replace('00', '')}`
  const abbreviation =
    LETTERS[name]?.[byOffset] ??
    LETTERS[known]?.[byOffset] ??
    LOCALES.map(locale => shown(known, instant, locale, 'short')).find(short => /^[A-Z]{3,5}$/.test(short))
  // Without a common abbreviation a zone is called by its offset.
  return { name: abbreviation ?? byOffset, offset: sign === '-' ? -size : size }
}

const GREENWICH = ['', '+', '00', '00']

/** Where zones are called by the letters that the time zone database has for them. */
const LOCALES = ['en-US', 'en-CA', 'en-GB', 'en-AU', 'en-NZ', 'en-ZA', 'en-KE', 'en-IN', 'ja-JP']

const inZones = (zones: string, letters: Readonly<Record<string, string>>) =>
  zones.split(' ').map(zone => [zone, letters] as const)

/** What zones are called, by their offset, where no locale knows it, or knows another name. */
const LETTERS: Readonly<Record<string, Readonly<Record<string, string>>>> = Object.fromEntries([
  ...inZones('America/Adak', { '-10': 'HST', '-09': 'HDT' }),
  ...inZones('America/Dawson America/Hermosillo America/Mazatlan America/Whitehorse', { '-07': 'MST' }),
  ...inZones('America/Havana', { '-05': 'CST', '-04': 'CDT' }),
  ...inZones('America/Miquelon', { '-03': '-03', '-02': '-02' }),
  ...inZones('Antarctica/Casey', { '+08': '+08' }),
  ...inZones('Antarctica/Troll', { '+00': '+00' }),
  ...inZones('Asia/Colombo', { '+0530': '+0530' }),
  ...inZones('Asia/Dubai Asia/Muscat', { '+04': '+04' }),
  ...inZones('Asia/Hong_Kong', { '+08': 'HKT' }),
  ...inZones('Asia/Jakarta Asia/Pontianak', { '+07': 'WIB' }),
  ...inZones('Asia/Makassar', { '+08': 'WITA' }),
  ...inZones('Asia/Jayapura', { '+09': 'WIT' }),
  ...inZones('Asia/Jerusalem', { '+02': 'IST', '+03': 'IDT' }),
  ...inZones('Asia/Karachi', { '+05': 'PKT' }),
  ...inZones('Asia/Macau Asia/Shanghai Asia/Taipei', { '+08': 'CST' }),
  ...inZones('Asia/Manila', { '+08': 'PST' }),
  ...inZones('Asia/Pyongyang Asia/Seoul', { '+09': 'KST' }),
  ...inZones('Australia/Eucla', { '+0845': '+0845' }),
  ...inZones('Australia/Lord_Howe', { '+1030': '+1030', '+11': '+11' }),
  ...inZones('Europe/Dublin', { '+01': 'IST' }),
  ...inZones('Europe/Guernsey Europe/Isle_of_Man Europe/Jersey', { '+01': 'BST' }),
  ...inZones('Europe/Kirov Europe/Moscow Europe/Simferopol Europe/Volgograd', { '+03': 'MSK' }),
  ...inZones('Etc/GMT Etc/GMT+0 Etc/GMT-0 Etc/GMT0 Etc/Greenwich GMT GMT+0 GMT-0 GMT0 Greenwich', { '+00': 'GMT' }),
  ...inZones('MET', { '+01': 'MET', '+02': 'MEST' }),
  ...inZones('Pacific/Chatham', { '+1245': '+1245', '+1345': '+1345' }),
  ...inZones('Pacific/Guam Pacific/Saipan', { '+10': 'ChST' }),
  ...inZones('Pacific/Midway Pacific/Pago_Pago', { '-11': 'SST' }),
])

const shown = (timeZone: string, instant: Date, locale: string, timeZoneName: 'longOffset' | 'short'): string =>
  new Intl.DateTimeFormat(locale, { timeZone, timeZoneName })
    .formatToParts(instant)
    .find(({ type }) => type === 'timeZoneName')!.value

/** What the zone is called here. Names are files in Go, which differ in large and small letters. */
const knownName = (name: string): string | undefined => {
  try {
    const known = new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone
    return known === name || known.toLowerCase() !== name.toLowerCase() ? known : undefined
  } catch {
    return undefined
  }
}
