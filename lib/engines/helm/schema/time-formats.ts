import { parseTime } from '../../template/values/parse-time.ts'
import { byteSlice } from '../../template/values/text.ts'
import { ensure, fail, quotedCharacter, within } from './format-check.ts'

/** Formats of dates, times and durations, with the messages of Helm's library. */

const DURATION_UNITS = ['YMD', 'HMS']

/**
 * A duration of RFC 3339, appendix A: `P1Y2M3DT4H5M6S`, each unit at most once and in order, or whole weeks alone,
 * `P4W`.
 */
export const duration = (text: string): void => {
  ensure(text.startsWith('P'), 'must start with P')
  const rest = text.slice(1)
  ensure(rest !== '', 'nothing after P')
  if (rest.endsWith('W')) {
    ensure(rest !== 'W', 'no number in week')
    ensure(/^\d+W$/.test(rest), 'invalid week')
    return
  }
  for (const [i, part] of rest.split('T').entries()) {
    if (i > 0) ensure(part !== '', 'no time elements')
    const all = DURATION_UNITS[i] ?? fail('more than one T')
    let units = all
    for (let left = part; left !== ''; ) {
      const digits = /^\d*/.exec(left)![0]
      ensure(digits !== '', 'missing number')
      const unit = left[digits.length] ?? fail('missing unit')
      const at = units.indexOf(unit)
      if (at < 0)
        fail(
          all.includes(unit) ? `unit ${quotedCharacter(unit)} out of order` : `invalid unit ${quotedCharacter(unit)}`,
        )
      units = units.slice(at + 1)
      left = left.slice(digits.length + 1)
    }
  }
}

/** `2006-01-02`, a day that exists. */
export const date = (text: string): void => {
  parseTime('2006-01-02', text)
}

/** A time of RFC 3339 with its offset: `15:04:05.123Z`, `15:04:05+02:00`. A leap second counts only at 23:59:60 UTC. */
export const time = (text: string): void => {
  ensure(Buffer.byteLength(text) >= 9, 'less than 9 characters long')
  ensure(byteSlice(text, 2, 3) === ':' && byteSlice(text, 5, 6) === ':', 'missing colon in correct place')
  const parts = text.slice(0, 8).split(':')
  for (const part of parts) {
    ensure(/^[+-]?\d+$/.test(part), 'invalid hour/min/sec')
    ensure(Number(part) >= 0, 'non-positive hour/min/sec')
  }
  let [hours = 0, minutes = 0, seconds = 0] = parts.map(Number)
  ensure(hours <= 23 && minutes <= 59 && seconds <= 60, 'hour/min/sec out of range')
  let rest = text.slice(8)
  if (rest.startsWith('.')) {
    const digits = /^\d*/.exec(rest.slice(1))![0]
    ensure(digits !== '', 'no digits in second fraction')
    rest = rest.slice(1 + digits.length)
  }
  if (rest !== 'z' && rest !== 'Z') {
    ensure(Buffer.byteLength(rest) === 6, 'offset must be 6 characters long')
    ensure(/^[+-]/.test(rest), 'offset must begin with plus/minus')
    ensure(rest[3] === ':', 'missing colon in offset in correct place')
    const offset = rest.slice(1).split(':')
    for (const part of offset) {
      ensure(/^[+-]?\d+$/.test(part), 'invalid hour/min in offset')
      ensure(Number(part) >= 0, 'non-positive hour/min in offset')
    }
    const [east = 0, more = 0] = offset.map(Number)
    ensure(east <= 23 && more <= 59, 'hour/min in offset out of range')
    const total = hours * 60 + minutes + (rest[0] === '+' ? -1 : 1) * (east * 60 + more)
    const wrapped = total < 0 ? total + 24 * 60 : total
    hours = Math.trunc(wrapped / 60)
    minutes = wrapped % 60
  }
  ensure(seconds < 60 || (hours === 23 && minutes === 59), 'invalid leap second')
}

/** A date and time of RFC 3339, with `T` between them: Go's time.Parse, and leap seconds. */
export const dateTime = (text: string): void => {
  ensure(Buffer.byteLength(text) >= 20, 'less than 20 characters long')
  ensure(/^[tT]/.test(byteSlice(text, 10, 11)), '11th character must be t or T')
  within('invalid date element', date, byteSlice(text, 0, 10))
  within('invalid time element', time, byteSlice(text, 11, Buffer.byteLength(text)))
}
