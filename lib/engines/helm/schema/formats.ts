import { quoteCharacter } from '../../../foundations/go/quote.ts'
import { compileRegex } from '../../template/functions/regex.ts'
import { parseTime } from '../../template/values/parse-time.ts'
import { byteSlice } from '../../template/values/text.ts'
import type { Format } from './schema.ts'

type Check = (text: string) => string | undefined

/** A problem found while a text is read. */
class BadFormat extends Error {}
const fail = (problem: string): never => {
  throw new BadFormat(problem)
}
const ensure = (holds: boolean, problem: string): void => {
  if (!holds) fail(problem)
}
const quotedCharacter = (character: string): string => quoteCharacter(BigInt(character.codePointAt(0)!))

/** A check that throws for what is wrong. */
const checking =
  (read: (text: string) => void): Check =>
  text => {
    try {
      read(text)
      return undefined
    } catch (error) {
      return (error as Error).message
    }
  }

const within = (what: string, read: (text: string) => void, text: string): void => {
  try {
    read(text)
  } catch (error) {
    fail(`${what}: ${(error as Error).message}`)
  }
}

const jsonPointer = (text: string): void => {
  if (text === '') return
  ensure(text.startsWith('/'), 'not starting with /')
  ensure(!/~(?![01])/.test(text), '~ must be followed by 0 or 1')
}

const relativeJsonPointer = (text: string): void => {
  const digits = /^\d*/.exec(text)![0]
  ensure(digits !== '', 'must start with non-negative integer')
  ensure(digits.length === 1 || !digits.startsWith('0'), 'starts with zero')
  if (text.slice(digits.length) !== '#') jsonPointer(text.slice(digits.length))
}

const UUID_PARTS = [8, 4, 4, 4, 12]

const uuid = (text: string): void => {
  const parts = text.split('-')
  ensure(parts.length === UUID_PARTS.length, 'must have 5 elements')
  for (const [i, part] of parts.entries()) {
    ensure(Buffer.byteLength(part) === UUID_PARTS[i], `element ${i + 1} must be ${UUID_PARTS[i]} characters long`)
    const odd = /[^0-9a-fA-F]/u.exec(part)
    if (odd) fail(`non-hex character ${quotedCharacter(odd[0])}`)
  }
}

const DURATION_UNITS = ['YMD', 'HMS']

const duration = (text: string): void => {
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

const ipv4 = (text: string): void => {
  const parts = text.split('.')
  ensure(parts.length === 4, 'expected four decimals')
  for (const part of parts) {
    ensure(part.length <= 1 || part[0] !== '0', 'leading zeros')
    if (!/^[+-]?\d+$/.test(part)) fail(`strconv.Atoi: parsing ${JSON.stringify(part)}: invalid syntax`)
    const number = Number(part)
    if (!Number.isSafeInteger(number)) fail(`strconv.Atoi: parsing ${JSON.stringify(part)}: value out of range`)
    ensure(number >= 0 && number <= 255, 'decimal must be between 0 and 255')
  }
}

const ipv6 = (text: string): void => {
  ensure(text.includes(':'), 'missing colon')
  const [address = '', zone] = text.split('%', 2)
  ensure(isIpv6(address), `ParseAddr(${JSON.stringify(text)}): unable to parse IP`)
  ensure(zone === undefined, 'zone id is not a part of ipv6 address')
}

const isIpv6 = (text: string): boolean => {
  const halves = text.split('::')
  if (halves.length > 2) return false
  const groups = halves.flatMap(half => (half === '' ? [] : half.split(':')))
  const last = groups.at(-1) ?? ''
  const embedded = last.includes('.')
  if (embedded && ipv4Problem(last) !== undefined) return false
  const plain = embedded ? groups.slice(0, -1) : groups
  if (!plain.every(group => /^[0-9a-fA-F]{1,4}$/.test(group))) return false
  const count = plain.length + (embedded ? 2 : 0)
  return halves.length === 2 ? count < 8 : count === 8
}

const hostname = (text: string): void => {
  const name = text.replace(/\.$/, '')
  ensure(Buffer.byteLength(name) <= 253, 'more than 253 characters long')
  for (const label of name.split('.')) {
    const length = Buffer.byteLength(label)
    ensure(length >= 1 && length <= 63, 'label must be 1 to 63 characters long')
    ensure(!label.startsWith('-'), 'label starts with hyphen')
    ensure(!label.endsWith('-'), 'label ends with hyphen')
    const odd = /[^a-zA-Z0-9-]/u.exec(label)
    if (odd) fail(`invalid character ${quotedCharacter(odd[0])}`)
  }
}

const email = (text: string): void => {
  ensure(Buffer.byteLength(text) <= 254, 'more than 255 characters long')
  const at = text.lastIndexOf('@')
  ensure(at >= 0, 'missing @')
  const [local, domain] = [text.slice(0, at), text.slice(at + 1)]
  ensure(Buffer.byteLength(local) <= 64, 'local part more than 64 characters long')
  if (local.length > 1 && local.startsWith('"') && local.endsWith('"'))
    ensure(!/[\\"]/.test(local.slice(1, -1)), 'backslash and quote are not allowed within quoted local part')
  else {
    ensure(!local.startsWith('.'), 'starts with dot')
    ensure(!local.endsWith('.'), 'ends with dot')
    ensure(!local.includes('..'), 'consecutive dots')
    const odd = /[^a-zA-Z0-9.!#$%&'*+\-/=?^_`{|}~]/u.exec(local)
    if (odd) fail(`invalid character ${quotedCharacter(odd[0])}`)
  }
  const literal = /^\[(.*)\]$/s.exec(domain)?.[1]
  if (literal === undefined) within('invalid domain', hostname, domain)
  else if (literal.startsWith('IPv6:')) within('invalid ipv6 address', ipv6, literal.slice(5))
  else within('invalid ipv4 address', ipv4, literal)
}

const date = (text: string): void => {
  parseTime('2006-01-02', text)
}

const time = (text: string): void => {
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

const dateTime = (text: string): void => {
  ensure(Buffer.byteLength(text) >= 20, 'less than 20 characters long')
  ensure(/^[tT]/.test(byteSlice(text, 10, 11)), '11th character must be t or T')
  within('invalid date element', date, byteSlice(text, 0, 10))
  within('invalid time element', time, byteSlice(text, 11, Buffer.byteLength(text)))
}

const uri = (text: string): void => {
  uriReference(text)
  ensure(/^[a-zA-Z][a-zA-Z0-9+.-]*:/.test(text), 'relative url')
}

/** What Go's net/url refuses, as far as a text of a chart's values meets it. */
const uriReference = (text: string): void => {
  const bad = (problem: string) => fail(`parse ${JSON.stringify(text)}: ${problem}`)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: Go refuses them
  if (/[\0-\x1f\x7f]/.test(text)) bad('net/url: invalid control character in URL')
  if (text.startsWith(':')) bad('missing protocol scheme')
  const badEscape = /%(?![0-9a-fA-F]{2}).{0,2}/su.exec(text.split('#')[0]!.split('?')[0]!)
  if (badEscape) bad(`invalid URL escape ${JSON.stringify(badEscape[0])}`)
  const scheme = /^[a-zA-Z][a-zA-Z0-9+.-]*:/.exec(text)
  const first = text.split(/[/?#]/)[0]!
  if (!scheme && first.includes(':')) bad('first path segment in URL cannot contain colon')
  const host = /^(?:[a-zA-Z][a-zA-Z0-9+.-]*:)?\/\/(?:[^@/?#]*@)?([^/?#]*)/.exec(text)?.[1]
  const odd = host === undefined ? null : /[ <>"{}|\\^`]/.exec(host)
  if (odd) bad(`invalid character ${JSON.stringify(odd[0])} in host name`)
  const port = host === undefined ? null : /:([^:\]]*)$/.exec(host)
  if (port && !/^\d*$/.test(port[1]!)) bad(`invalid port ${JSON.stringify(`:${port[1]}`)} after host`)
}

const checkedReference = (text: string): void => {
  ensure(!text.includes('\\'), 'contains \\')
  uriReference(text)
}

const uriTemplate = (text: string): void => {
  uriReference(text)
  const [path = ''] = text.replace(/^[a-zA-Z][a-zA-Z0-9+.-]*:\/\/[^/]*/, '').split(/[?#]/)
  for (const segment of path.split('/')) {
    let open = false
    for (const brace of segment.match(/[{}]/g) ?? []) {
      ensure(open !== (brace === '{'), 'nested curly braces')
      open = !open
    }
    ensure(!open, 'no matching closing brace')
  }
}

const period = (text: string): void => {
  const slash = text.indexOf('/')
  ensure(slash >= 0, 'missing slash')
  const [start, end] = [text.slice(0, slash), text.slice(slash + 1)]
  if (start.startsWith('P')) {
    within('invalid start duration', duration, start)
    within('invalid end date-time', dateTime, end)
    return
  }
  within('invalid start date-time', dateTime, start)
  if (end.startsWith('P')) within('invalid end duration', duration, end)
  else within('invalid end date-time', dateTime, end)
}

const semver = (text: string): void => {
  const [version = '', build] = splitAt(text, '+')
  if (build !== undefined) {
    ensure(build !== '', 'build is empty')
    for (const part of build.split('.')) {
      ensure(part !== '', 'build identifier is empty')
      const odd = /[^0-9a-zA-Z-]/u.exec(part)
      if (odd) fail(`invalid character ${quotedCharacter(odd[0])} in build identifier`)
    }
  }
  const [core = '', prerelease] = splitAt(version, '-')
  for (const part of prerelease?.split('.') ?? []) {
    ensure(part !== '', 'pre-release identifier is empty')
    const odd = /[^0-9a-zA-Z-]/u.exec(part)
    if (odd) fail(`invalid character ${quotedCharacter(odd[0])} in pre-release identifier`)
    ensure(!/^0\d+$/.test(part), 'pre-release numeric identifier starts with zero')
  }
  const numbers = core.split('.')
  ensure(numbers.length === 3, 'versionCore must have 3 numbers separated by dot')
  for (const [i, name] of ['major', 'minor', 'patch'].entries()) {
    const number = numbers[i]!
    ensure(number !== '', `${name} is empty`)
    ensure(number.length === 1 || number[0] !== '0', `${name} starts with zero`)
    ensure(/^\d+$/.test(number), `${name} contains non-digit`)
  }
}

const splitAt = (text: string, separator: string): string[] => {
  const at = text.indexOf(separator)
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)]
}

const ipv4Problem = checking(ipv4)

const checks: Readonly<Record<string, (text: string) => void>> = {
  'json-pointer': jsonPointer,
  'relative-json-pointer': relativeJsonPointer,
  ...{ uuid, duration, period, ipv4, ipv6, hostname, email, date, time, semver, uri },
  'date-time': dateTime,
  iri: uri,
  'uri-reference': checkedReference,
  'iri-reference': checkedReference,
  'uri-template': uriTemplate,
}

/** The formats that Helm's library knows, by name; others say nothing. */
export const formats: ReadonlyMap<string, Format> = new Map(
  Object.entries(checks).map(([name, check]) => [name, { name, problemOf: checking(check) }]),
)

/** A regular expression of Go. */
export const regexFormat: Format = {
  name: 'regex',
  problemOf: checking(text => {
    compileRegex(text)
  }),
}
