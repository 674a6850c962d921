import { checking, ensure, fail, quotedCharacter, within } from './format-check.ts'

/** Formats of hosts and mail addresses, with the messages of Helm's library. */

/** Dotted decimals without leading zeros. */
export const ipv4 = (text: string): void => {
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

/** An address of RFC 4291 without a zone. */
export const ipv6 = (text: string): void => {
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
  if (embedded && checking(ipv4)(last) !== undefined) return false
  const plain = embedded ? groups.slice(0, -1) : groups
  if (!plain.every(group => /^[0-9a-fA-F]{1,4}$/.test(group))) return false
  const count = plain.length + (embedded ? 2 : 0)
  return halves.length === 2 ? count < 8 : count === 8
}

/** A name of RFC 1123: labels of 1 to 63 letters, digits and hyphens, at most 253 bytes; a dot at the end is fine. */
export const hostname = (text: string): void => {
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

/**
 * An address of RFC 5321, up to 254 bytes. The domain may be an address in brackets, and the quoted local part has no
 * backslashes.
 */
export const email = (text: string): void => {
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
