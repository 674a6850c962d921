import { UTC, type Zone } from '../values/time.ts'

/** The zone of that name as it is at an instant (milliseconds since 1970); UTC for an unknown name, as sprig has it. */
export const zoneAt = (name: string, instant: number): Zone => {
  if (name === '' || name === 'UTC' || name === 'Local') return UTC
  try {
    const part = (style: 'longOffset' | 'short'): string =>
      new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: style })
        .formatToParts(instant)
        .find(({ type }) => type === 'timeZoneName')?.value ?? ''
    const [, sign, hours = '0', minutes = '0'] = /GMT([+-])(\d{2}):(\d{2})/.exec(part('longOffset')) ?? []
    const offset = (Number(hours) * 3600 + Number(minutes) * 60) * (sign === '-' ? -1 : 1)
    const short = part('short')
    return { name: /^[A-Z]+$/.test(short) ? short : '', offset }
  } catch {
    return UTC
  }
}
