import { NotVerified } from '../not-verified.ts'
import type { Certificate } from '../x509/certificate.ts'

/** A name's attributes by their short types, as in RFC 4514: `C`, `ST`, `O`, `CN`. */
export type DistinguishedName = ReadonlyMap<string, string>

const mandatory = ['C', 'ST', 'O']

/**
 * Parses `C=US, ST=WA, O=Example`. Fails with NotVerified: notation requires country, state and organization, each
 * once.
 */
export const parseName = (text: string): DistinguishedName => {
  const failed = (why: string) => new NotVerified(`distinguished name (DN) "${text}" ${why}`)
  if (text.includes('=#')) throw failed('contains "=#", which notation does not support')
  const name = new Map<string, string>()
  for (const part of splitName(text)) {
    const [, type = '', value = ''] = /^\s*([A-Za-z][A-Za-z0-9-]*|[0-9.]+)\s*=([\s\S]*)$/.exec(part.text) ?? []
    if (!type || part.isMulti)
      throw failed(part.isMulti ? 'has multi-valued RDN attributes' : 'does not follow RFC 4514')
    add(name, type === 'S' ? 'ST' : type, unescaped(value), failed)
  }
  return complete(name, failed)
}

const add = (name: Map<string, string>, type: string, value: string, failed: (why: string) => NotVerified): void => {
  if (name.get(type)) throw failed(`has duplicate RDN attribute for "${type}"`)
  name.set(type, value)
}

const complete = (name: DistinguishedName, failed: (why: string) => NotVerified): DistinguishedName => {
  const missing = mandatory.find(type => !name.get(type))
  if (missing) throw failed(`has no mandatory RDN attribute for "${missing}"`)
  return name
}

const splitName = (text: string) => {
  const parts: { text: string; isMulti: boolean }[] = []
  for (const [part, end] of pieces(text)) {
    const open = parts.at(-1)
    if (open?.isMulti && open.text === '') open.text = part
    else parts.push({ text: part, isMulti: false })
    if (end === '+') parts.push({ text: '', isMulti: true })
  }
  return parts
}

/** Splits at unescaped commas, semicolons and pluses; yields each piece with its separator. */
function* pieces(text: string): Generator<readonly [string, string]> {
  let start = 0
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === ',' || text[at] === ';' || text[at] === '+') {
      yield [text.slice(start, at), text[at]!]
      start = at + 1
    }
  }
  yield [text.slice(start), '']
}

const unescaped = (value: string): string => {
  const trimmed = value.replace(/^ +/, '').replace(/((?:\\ )?) +$/, '$1')
  const hex = (pairs: string) => Buffer.from(pairs.replaceAll('\\', ''), 'hex').toString('utf8')
  return trimmed.replace(/((?:\\[0-9A-Fa-f]{2})+)|\\([\s\S])/g, (_, pairs, plain) => (pairs ? hex(pairs) : plain))
}

/** OpenSSL's attribute types, mapped to those in Go's x509 names. */
const shown: Readonly<Record<string, string>> = {
  C: 'C',
  ST: 'ST',
  L: 'L',
  O: 'O',
  OU: 'OU',
  CN: 'CN',
  street: 'STREET',
  postalCode: 'POSTALCODE',
  serialNumber: 'SERIALNUMBER',
}

/** The subject of a certificate. Fails with NotVerified, like `parseName`. */
export const subjectOf = ({ x509, name: whole }: Certificate): DistinguishedName => {
  const failed = (why: string) => new NotVerified(`distinguished name (DN) "${whole}" ${why}`)
  const name = new Map<string, string>()
  const subject = x509.toLegacyObject().subject as unknown as Readonly<Record<string, string | string[]>>
  for (const [type, values] of Object.entries(subject)) {
    if (!Object.hasOwn(shown, type)) continue
    for (const value of [values].flat()) add(name, shown[type]!, value, failed)
  }
  return complete(name, failed)
}

/** Whether `whole` has all attributes of `part`. */
export const isSubsetOf = (part: DistinguishedName, whole: DistinguishedName): boolean =>
  [...part].every(([type, value]) => whole.get(type) === value)
