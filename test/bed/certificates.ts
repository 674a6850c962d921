import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

/** A certificate and its private key, both PEM. */
export interface Certificate {
  readonly cert: string
  readonly key: string
}

/** A certificate authority of a test's own. */
export interface Authority {
  /** The authority's certificate in PEM, for clients to trust. */
  readonly ca: string
  /** For a server on loopback (127.0.0.1, ::1 and localhost) and of further names, or for a client that is known by its common name. */
  issue(commonName: string, names?: readonly string[]): Certificate
}

/** Makes an authority with a fresh P-256 key. Its certificates are valid from an hour ago for a day. */
export function certificateAuthority(commonName = 'Keelson test authority'): Authority {
  const authority = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const certify = (subject: string, publicKey: KeyObject, extensions: Uint8Array[]) =>
    pem(
      'CERTIFICATE',
      signed(
        tbsCertificate({ subject, issuer: commonName, publicKey, issuerKey: authority.publicKey, extensions }),
        authority.privateKey,
      ),
    )
  return {
    ca: certify(commonName, authority.publicKey, [basicConstraints(true), keyUsage('certSign')]),
    issue(subject, names = []) {
      const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      const extensions = [
        basicConstraints(false),
        keyUsage('digitalSignature'),
        serverAndClientAuth,
        loopbackNames(names),
      ]
      return {
        cert: certify(subject, publicKey, extensions),
        key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
      }
    },
  }
}

// The rest is RFC 5280 in DER: each value is tag, length, content.

const der = (tag: number, ...content: Uint8Array[]): Uint8Array => {
  const body = Buffer.concat(content)
  const { length } = body
  const prefix = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Uint8Array.of(tag, ...prefix), body])
}
const sequence = (...items: Uint8Array[]) => der(0x30, ...items)
const set = (...items: Uint8Array[]) => der(0x31, ...items)
const integer = (...bytes: number[]) => der(0x02, Uint8Array.from(bytes))
const bitString = (bytes: Uint8Array) => der(0x03, Uint8Array.of(0), bytes)
const octetString = (bytes: Uint8Array) => der(0x04, bytes)
const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'))
const utf8 = (text: string) => der(0x0c, Buffer.from(text))
const yes = der(0x01, Uint8Array.of(0xff))
// UTCTime, which RFC 5280 wants until 2049: YYMMDDHHMMSSZ.
const time = (date: Date) =>
  der(
    0x17,
    Buffer.from(
      date
        .toISOString()
        .slice(2)
        .replace(/[-:T]|\.\d+/g, ''),
    ),
  )

const ecdsaWithSha256 = sequence(oid('2a8648ce3d040302'))
const name = (commonName: string) => sequence(set(sequence(oid('550403'), utf8(commonName))))

interface Claim {
  readonly subject: string
  readonly issuer: string
  readonly publicKey: KeyObject
  readonly issuerKey: KeyObject
  readonly extensions: readonly Uint8Array[]
}

function tbsCertificate({ subject, issuer, publicKey, issuerKey, extensions }: Claim): Uint8Array {
  const hour = 3_600_000
  const now = Date.now()
  return sequence(
    der(0xa0, integer(2)), // X.509 v3
    integer(0x01, ...randomBytes(8)), // the leading byte keeps it positive
    ecdsaWithSha256,
    name(issuer),
    sequence(time(new Date(now - hour)), time(new Date(now + 24 * hour))),
    name(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(...extensions, subjectKeyIdentifier(publicKey), authorityKeyIdentifier(issuerKey))),
  )
}

const signed = (tbs: Uint8Array, key: KeyObject) => sequence(tbs, ecdsaWithSha256, bitString(sign('sha256', tbs, key)))

const extension = (id: string, value: Uint8Array, critical = false) =>
  sequence(oid(id), ...(critical ? [yes] : []), octetString(value))

const basicConstraints = (isAuthority: boolean) => extension('551d13', sequence(...(isAuthority ? [yes] : [])), true)
const keyUsage = (use: 'certSign' | 'digitalSignature') =>
  extension('551d0f', der(0x03, use === 'certSign' ? Uint8Array.of(2, 0x04) : Uint8Array.of(7, 0x80)), true)
const serverAndClientAuth = extension('551d25', sequence(oid('2b06010505070301'), oid('2b06010505070302')))
const loopbackNames = (others: readonly string[]) =>
  extension(
    '551d11',
    sequence(
      ...['localhost', ...others].map(dnsName => der(0x82, Buffer.from(dnsName))),
      der(0x87, Uint8Array.of(127, 0, 0, 1)),
      der(
        0x87,
        Uint8Array.from({ length: 16 }, (_, i) => (i === 15 ? 1 : 0)),
      ),
    ),
  )
const identifier = (key: KeyObject) =>
  createHash('sha1')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest()
const subjectKeyIdentifier = (key: KeyObject) => extension('551d0e', octetString(identifier(key)))
const authorityKeyIdentifier = (key: KeyObject) => extension('551d23', sequence(der(0x80, identifier(key))))

const pem = (label: string, bytes: Uint8Array) => {
  const lines = Buffer.from(bytes)
    .toString('base64')
    .match(/.{1,64}/g)!
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`
}
