import type { KeyObject } from 'node:crypto'
import { type Claim, makeCertificate, readCertificate } from '../certificates/certificate.ts'
import { ipBytes } from '../certificates/ip-address.ts'
import { type KeyType, type NewKey, readPrivateKey, writePrivateKey } from '../certificates/private-key.ts'
import { formatValue } from '../format/format-value.ts'
import { textOf } from '../values/text.ts'
import { type FunctionMap, Struct, TemplateFunction, type Value } from '../values/value.ts'
import { base64Bytes } from './base64.ts'
import type { Now } from './dates.ts'

export interface Certifier {
  /** Milliseconds since 1970. */
  readonly now: Now
  /** Cryptographically secure random bytes. */
  readonly bytes: (count: number) => Uint8Array
  readonly newKey: NewKey
}

const DAY = 24n * 3_600_000_000_000n
const keyTypes: ReadonlySet<string> = new Set<KeyType>(['rsa', 'dsa', 'ecdsa', 'ed25519'])

/** Sprig's functions that generate keys and certificates. RSA keys have 2,048 bits in certificates and 4,096 alone, as in sprig. */
export const certificateFunctions = ({ now, bytes, newKey }: Certifier): FunctionMap => {
  const base = (commonName: string, days: number, key: KeyObject) => {
    const from = now()
    const validity = { notBefore: new Date(from), notAfter: new Date(from + durationOf(days)) }
    return { commonName, key, serial: bytes(16), ...validity }
  }
  const authority = (name: string, days: number, key: KeyObject) =>
    certified({ ...base(name, days, key), isAuthority: true })
  const selfSigned = (name: string, ips: Value[], dns: Value[], days: number, key: KeyObject) =>
    certified({ ...base(name, days, key), ...namesOf(ips, dns) })
  const signed = (name: string, ips: Value[], dns: Value[], days: number, ca: Struct, key: KeyObject) => {
    const issuer = { certificate: fieldOf(ca, 'Cert'), key: readPrivateKey(fieldOf(ca, 'Key')) }
    return certified({ ...base(name, days, key), ...namesOf(ips, dns) }, issuer)
  }
  const given = (pem: string) => describing('parsing private key', () => readPrivateKey(pem))
  const rsa = () => newKey('rsa', 2048)

  const named = ['string', '[]interface {}', '[]interface {}', 'int'] as const
  return new Map([
    ['genPrivateKey', new TemplateFunction(['string'], (type: string) => privateKey(type, newKey))],
    ['buildCustomCert', new TemplateFunction(['string', 'string'], existing)],
    ['genCA', new TemplateFunction(['string', 'int'], (name, days) => authority(name, days, rsa()))],
    [
      'genCAWithKey',
      new TemplateFunction(['string', 'int', 'string'], (name, days, pem) => authority(name, days, given(pem))),
    ],
    [
      'genSelfSignedCert',
      new TemplateFunction(named, (name, ips, dns, days) => selfSigned(name, ips, dns, days, rsa())),
    ],
    [
      'genSelfSignedCertWithKey',
      new TemplateFunction([...named, 'string'], (name, ips, dns, days, pem) =>
        selfSigned(name, ips, dns, days, given(pem)),
      ),
    ],
    [
      'genSignedCert',
      new TemplateFunction([...named, 'sprig.certificate'], (name, ips, dns, days, ca) =>
        signed(name, ips, dns, days, ca, rsa()),
      ),
    ],
    [
      'genSignedCertWithKey',
      new TemplateFunction([...named, 'sprig.certificate', 'string'], (name, ips, dns, days, ca, pem) =>
        signed(name, ips, dns, days, ca, given(pem)),
      ),
    ],
  ])
}

/** In milliseconds. Go counts nanoseconds in 64 bits, which overflow after 292 years. */
const durationOf = (days: number): number => Number(BigInt.asIntN(64, BigInt(days) * DAY)) / 1e6

const certificateOf = (cert: string, key: string): Struct =>
  new Struct(
    'sprig.certificate',
    new Map([
      ['Cert', cert],
      ['Key', key],
    ]),
  )

const fieldOf = (certificate: Struct, name: 'Cert' | 'Key'): string => certificate.fields.get(name) as string

const certified = (claim: Claim, issuer?: Parameters<typeof makeCertificate>[1]): Struct => {
  const cert = describing('error creating certificate', () => makeCertificate(claim, issuer))
  return certificateOf(cert, writePrivateKey(claim.key))
}

const privateKey = (type: string, newKey: NewKey): string => {
  const wanted = type === '' ? 'rsa' : type
  return keyTypes.has(wanted) ? writePrivateKey(newKey(wanted as KeyType, 4096)) : `Unknown type ${type}`
}

/** An existing certificate and its key, both as base64 of PEM. */
const existing = (cert64: string, key64: string): Struct => {
  const cert = decoded(cert64, 'certificate')
  const key = decoded(key64, 'private key')
  readCertificate(cert)
  describing('error parsing private key', () => readPrivateKey(key))
  return certificateOf(cert, key)
}

const decoded = (text: string, what: string): string => {
  try {
    return textOf(base64Bytes(text))
  } catch {
    throw new Error(`unable to decode base64 ${what}`)
  }
}

const namesOf = (ips: Value[], dns: Value[]): Pick<Claim, 'ipAddresses' | 'dnsNames'> => ({
  ipAddresses: ips.map(ip => {
    if (typeof ip !== 'string') throw new Error(`error parsing ip: ${formatValue(ip)} is not a string`)
    const address = ipBytes(ip)
    if (!address) throw new Error(`error parsing ip: ${ip}`)
    return address
  }),
  dnsNames: dns.map(name => {
    if (typeof name !== 'string')
      throw new Error(`error processing alternate dns name: ${formatValue(name)} is not a string`)
    return name
  }),
})

const describing = <T>(what: string, attempt: () => T): T => {
  try {
    return attempt()
  } catch (error) {
    throw new Error(`${what}: ${(error as Error).message}`)
  }
}
