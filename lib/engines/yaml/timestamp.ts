const TIMESTAMP =
  /^(\d{4})-(\d{1,2})-(\d{1,2})(?:(?:[Tt](\d{1,2}):(\d{1,2}):(\d{1,2})(?:[.,](\d+))?(Z|[-+]\d\d:\d\d))|(?: (\d{1,2}):(\d{1,2}):(\d{1,2})(?:[.,](\d+))?))?$/

/** Parses the dates and times that go-yaml reads as timestamps; returns RFC 3339 as Go writes it in JSON, or undefined. */
export const parseTimestamp = (text: string): string | undefined => {
  if (text.length < 8 || text.charCodeAt(4) !== 45) return undefined
  const match = TIMESTAMP.exec(text)
  if (!match) return undefined
  const [, year, month, day] = match
  const [hour, minute, second] = [match[4] ?? match[9] ?? '', match[5] ?? match[10] ?? '', match[6] ?? match[11] ?? '']
  const fraction = (match[7] ?? match[12] ?? '').slice(0, 9).replace(/0+$/, '')
  const zone = match[8] ?? 'Z'
  const date = new Date(Date.UTC(2000, 0, 1))
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day))
  // Date moves an invalid day to another month.
  if (date.getUTCMonth() !== Number(month) - 1) return undefined
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined
  const two = (part: string): string => part.padStart(2, '0')
  const clock = `${two(hour)}:${two(minute)}:${two(second)}${fraction && `.${fraction}`}`
  return `${year}-${two(month!)}-${two(day!)}T${clock}${zone === '+00:00' ? 'Z' : zone}`
}
