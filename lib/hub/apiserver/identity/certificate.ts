/** Issues X.509 certificates (ECDSA P-256): Node reads and verifies them, but can't create them. After RFC 5280. */
import type { KeyObject } from 'node:crypto'
import { createHash, createPrivateKey, generateKeyPairSync, sign, X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import {
  bits,
  boolean,
  explicit,
  implicit,
  integer,
  objectId,
  octets,
  sequence,
  set,
  time,
  utf8,
} from '../../../foundations/der/write-der.ts'

export interface Certificate {
  /** PEM. */
  readonly certificate: string
  /** PEM, PKCS #8. */
  readonly key: string
}

export interface Validity {
  readonly from: Date
  readonly days: number
}

const ecdsaWithSha256 = sequence(objectId('1.2.840.10045.4.3.2'))

/** A self-signed certificate authority. */
export const certificateAuthority = (name: string, serial: Uint8Array, validity: Validity): Certificate => {
  const { publicKey, privateKey } = newKeys()
  const extensions = [
    extension('2.5.29.19', sequence(boolean(true)), true),
    extension('2.5.29.15', bits(Buffer.from([0b0000_0110]), 1), true),
    extension('2.5.29.14', octets(keyId(publicKey))),
  ]
  const subject = commonName(name)
  return issued({ serial, issuer: subject, subject, validity, publicKey, extensions }, privateKey, privateKey)
}

/** A certificate for a TLS server with these host names and IP addresses. */
export const serverCertificate = (
  authority: Certificate,
  hosts: readonly string[],
  serial: Uint8Array,
  validity: Validity,
): Certificate => {
  const { publicKey, privateKey } = newKeys()
  const { publicKey: authorityKey, subject } = new X509Certificate(authority.certificate)
  const issuer = commonName(subject.replace(/^CN=/, ''))
  const extensions = [
    extension('2.5.29.15', bits(Buffer.from([0b1000_0000]), 7), true),
    extension('2.5.29.37', sequence(objectId('1.3.6.1.5.5.7.3.1'))),
    extension('2.5.29.35', sequence(implicit(0, keyId(authorityKey)))),
    extension('2.5.29.17', sequence(...hosts.map(alternativeName))),
  ]
  const content = { serial, issuer, subject: commonName(hosts[0]!), validity, publicKey, extensions }
  return issued(content, privateKey, createPrivateKey(authority.key))
}

/** A client certificate: its name is the user name, its groups are the user's groups. */
export const clientCertificate = (
  authority: Certificate,
  { name, groups }: { readonly name: string; readonly groups: readonly string[] },
  serial: Uint8Array,
  validity: Validity,
): Certificate => {
  const { publicKey, privateKey } = newKeys()
  const { publicKey: authorityKey, subject: issuer } = new X509Certificate(authority.certificate)
  const extensions = [
    extension('2.5.29.15', bits(Buffer.from([0b1000_0000]), 7), true),
    extension('2.5.29.37', sequence(objectId('1.3.6.1.5.5.7.3.2'))),
    extension('2.5.29.35', sequence(implicit(0, keyId(authorityKey)))),
  ]
  const subject = sequence(...groups.map(group => attribute('2.5.4.10', group)), attribute('2.5.4.3', name))
  const content = { serial, issuer: commonName(issuer.replace(/^CN=/, '')), subject, validity, publicKey, extensions }
  return issued(content, privateKey, createPrivateKey(authority.key))
}

const newKeys = () => generateKeyPairSync('ec', { namedCurve: 'P-256' })

interface Content {
  readonly serial: Uint8Array
  /** DER, as `subject`. */
  readonly issuer: Uint8Array
  readonly subject: Uint8Array
  readonly validity: Validity
  readonly publicKey: KeyObject
  readonly extensions: readonly Uint8Array[]
}

const issued = (content: Content, key: KeyObject, signingKey: KeyObject): Certificate => {
  const { serial, issuer, subject, validity, publicKey, extensions } = content
  const { from, days } = validity
  const until = new Date(from.getTime() + days * 86_400_000)
  const signedPart = sequence(
    explicit(0, integer(Buffer.from([2]))),
    integer(serial),
    ecdsaWithSha256,
    issuer,
    sequence(time(from), time(until)),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    explicit(3, sequence(...extensions)),
  )
  const signature = sign('sha256', signedPart, signingKey)
  return {
    certificate: pem('CERTIFICATE', sequence(signedPart, ecdsaWithSha256, bits(signature))),
    key: key.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

const attribute = (id: string, value: string) => set(sequence(objectId(id), utf8(value)))
const commonName = (name: string) => sequence(attribute('2.5.4.3', name))

const extension = (id: string, value: Uint8Array, isCritical = false) =>
  sequence(objectId(id), ...(isCritical ? [boolean(true)] : []), octets(value))

const alternativeName = (host: string): Buffer => {
  if (!isIP(host)) return implicit(2, Buffer.from(host))
  return implicit(7, isIP(host) === 4 ? Buffer.from(host.split('.').map(Number)) : ipv6Bytes(host))
}

const ipv6Bytes = (address: string): Buffer => {
  const [head = '', tail] = address.split('::')
  const groups = (part: string) => (part ? part.split(':').map(group => Number.parseInt(group, 16)) : [])
  const [first, last] = [groups(head), groups(tail ?? '')]
  const all = [...first, ...Array<number>(8 - first.length - last.length).fill(0), ...last]
  return Buffer.from(all.flatMap(group => [group >> 8, group & 0xff]))
}

/** As RFC 5280 suggests: the SHA-1 of the public key's bits. */
const keyId = (publicKey: KeyObject): Buffer => {
  const { x, y } = publicKey.export({ format: 'jwk' })
  const point = Buffer.concat([Buffer.from([4]), Buffer.from(x!, 'base64url'), Buffer.from(y!, 'base64url')])
  return createHash('sha1').update(point).digest()
}

const pem = (label: string, der: Uint8Array): string => {
  const lines = Buffer.from(der)
    .toString('base64')
    .replace(/.{64}(?=.)/g, '$&\n')
  return `-----BEGIN ${label}-----\n${lines}\n-----END ${label}-----\n`
}
