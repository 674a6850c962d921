/** Times in a form: the viewer's zone there, RFC 3339 in addresses. Pure but for the zone. */

/** `2026-11-27T14:02` in the viewer's zone, as `datetime-local` has it; empty for no time. */
export const localInput = (time: string | undefined): string => {
  const ms = Date.parse(time ?? '')
  if (Number.isNaN(ms)) return ''
  const at = new Date(ms)
  return new Date(ms - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

/** The reverse. */
export const timeOfInput = (text: string): string => {
  const ms = Date.parse(text)
  return Number.isNaN(ms) ? '' : new Date(ms).toISOString()
}
