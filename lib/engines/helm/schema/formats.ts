import { compileRegexp } from '../../../foundations/go/compile-regexp.ts'
import { email, hostname, ipv4, ipv6 } from './address-formats.ts'
import { checking, ensure, fail, quotedCharacter, within } from './format-check.ts'
import type { Format } from './schema.ts'
import { date, dateTime, duration, time } from './time-formats.ts'
import { checkedReference, uri, uriTemplate } from './uri-formats.ts'

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

/** The formats that Helm's library knows, by name; it ignores others. */
export const formats: ReadonlyMap<string, Format> = new Map(
  Object.entries(checks).map(([name, check]) => [name, { name, problemOf: checking(check) }]),
)

/** A regular expression of Go. */
export const regexFormat: Format = {
  name: 'regex',
  problemOf: checking(text => {
    compileRegexp(text)
  }),
}
