import { UTC, type Zone } from '../values/time.ts'

/** The zone of that name as it is at an instant (milliseconds since 1970); UTC for an unknown name, as sprig has it. */
export const zoneAt = (name: string, instant: number): Zone => {
  if (name === '' || name === 'UTC' || name === 'Local' || !isKnown(name)) return UTC
  const [, sign = '', hours = '0', minutes = '0', seconds = '0'] =
    /GMT([+-])(\d{2}):(\d{2})(?::(\d{2}))?/.exec(shown(name, instant, 'en-US', 'longOffset')) ?? []
  const size = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)
  const offset = sign === '-' ? -size : size
  const abbreviation = LOCALES.map(locale => shown(name, instant, locale, 'short')).find(short =>
    /^[A-Z]{3,5}$/.test(short),
  )
  // Without a common abbreviation a zone is called by its offset.
  return { name: abbreviation ?? `${sign || '+'}${hours.padStart(2, '0')}${minutes.replace(/^00?$/, '')}`, offset }
}

/** Where zones are called by the letters that the time zone database has for them. */
const LOCALES = ['en-US', 'en-CA', 'en-GB', 'en-AU', 'en-NZ', 'en-ZA', 'en-KE', 'en-IN', 'ja-JP']

const shown = (timeZone: string, instant: number, locale: string, timeZoneName: 'longOffset' | 'short'): string =>
  new Intl.DateTimeFormat(locale, { timeZone, timeZoneName })
    .formatToParts(instant)
    .find(({ type }) => type === 'timeZoneName')!.value

/** Names are files in Go, which differ in large and small letters. */
const isKnown = (name: string): boolean => {
  try {
    const known = new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone
    return known === name || known.toLowerCase() !== name.toLowerCase()
  } catch {
    return false
  }
}
