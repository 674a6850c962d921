import { createHash, createPublicKey, type KeyObject, sign, X509Certificate } from 'node:crypto'
import { readDer, readSequence, valuesOf } from '../../../foundations/der/read-der.ts'
import { context } from '../../../foundations/der/tags.ts'
import {
  bits,
  boolean,
  explicit,
  implicit,
  integer,
  none,
  objectId,
  octets,
  sequence,
  set,
  text,
  time,
} from '../../../foundations/der/write-der.ts'
import { curves } from './curves.ts'
import { readPem, writePem } from './pem.ts'

export interface Claim {
  readonly commonName: string
  readonly dnsNames?: readonly string[]
  /** 4 or 16 bytes each. */
  readonly ipAddresses?: readonly Uint8Array[]
  readonly notBefore: Date
  readonly notAfter: Date
  readonly serial: Uint8Array
  readonly isAuthority?: boolean
  /** The private key of the certificate's subject. */
  readonly key: KeyObject
}

/** The signing certificate authority. */
export interface Issuer {
  /** PEM */
  readonly certificate: string
  readonly key: KeyObject
}

/**
 * Creates an X.509 certificate (RFC 5280) for servers and clients, as Go does for sprig; in PEM. Self-signed if there is no issuer.
 */
export const makeCertificate = (claim: Claim, issuer?: Issuer): string => {
  const { key, serial, notBefore, notAfter } = claim
  const signer = issuer?.key ?? key
  const algorithm = signatureOf(signer)
  const publicKey = publicKeyOf(key)
  const subject = nameOf(claim.commonName)
  const parent = issuer ? readParent(issuer) : { subject }
  const content = sequence(
    explicit(0, integer(Buffer.of(2))), // X.509 v3
    integer(serial),
    algorithm.identifier,
    parent.subject,
    sequence(time(notBefore), time(notAfter)),
    subject,
    publicKey,
    explicit(3, sequence(...extensionsOf(claim, subject, publicKey, parent))),
  )
  const signature = sign(algorithm.digest, content, signer)
  return writePem({ label: 'CERTIFICATE', bytes: sequence(content, algorithm.identifier, bits(signature)) })
}

const nameOf = (commonName: string): Buffer =>
  commonName === '' ? sequence() : sequence(set(sequence(objectId('2.5.4.3'), text(commonName))))

const publicKeyOf = (key: KeyObject): Buffer => {
  if (key.asymmetricKeyType === 'dsa') throw new Error('x509: unsupported public key type: *dsa.PublicKey')
  return spkiOf(createPublicKey(key))
}

const spkiOf = (key: KeyObject): Buffer => key.export({ type: 'spki', format: 'der' })

interface Parent {
  /** Its subject, in DER. */
  readonly subject: Buffer
  readonly keyIdentifier?: Buffer
}

const readParent = ({ certificate, key }: Issuer): Parent => {
  const { raw, publicKey } = readCertificate(certificate)
  // Not KeyObject.equals: for keys of different types it leaves an OpenSSL error behind, which fails the next key that is read.
  if (!spkiOf(createPublicKey(key)).equals(spkiOf(publicKey)))
    throw new Error("x509: provided PrivateKey doesn't match parent's PublicKey")
  const fields = valuesOf(readSequence(raw)[0]!.content)
  const subject = fields[fields[0]!.tag === context(0) ? 5 : 4]!.whole // the version is optional
  const extensions = fields.find(({ tag }) => tag === context(3))
  const known = extensions ? readSequence(extensions.content).map(({ content }) => valuesOf(content)) : []
  const identifier = known.find(([id]) => id!.whole.equals(ids.subjectKeyIdentifier))?.[1]
  return { subject, ...(identifier && { keyIdentifier: readDer(identifier.content).content }) }
}

/** Throws unless the text is a certificate in PEM. */
export const readCertificate = (pem: string): X509Certificate => {
  const block = readPem(pem)
  if (!block) throw new Error('unable to decode certificate')
  try {
    return new X509Certificate(block.bytes)
  } catch {
    throw new Error('error parsing certificate: decodedCert.Bytes: x509: malformed certificate')
  }
}

interface Signature {
  readonly digest: string | null
  readonly identifier: Buffer
}

const signatureOf = (key: KeyObject): Signature => {
  switch (key.asymmetricKeyType) {
    case 'rsa':
      return { digest: 'sha256', identifier: sequence(objectId('1.2.840.113549.1.1.11'), none) }
    case 'ed25519':
      return { digest: null, identifier: sequence(objectId('1.3.101.112')) }
    case 'ec': {
      const [digest, id] = curves.get(key.asymmetricKeyDetails!.namedCurve!)!
      return { digest, identifier: sequence(objectId(id)) }
    }
    default:
      throw new Error('x509: certificate private key does not implement crypto.Signer')
  }
}

const ids = {
  keyUsage: objectId('2.5.29.15'),
  extendedKeyUsage: objectId('2.5.29.37'),
  basicConstraints: objectId('2.5.29.19'),
  subjectKeyIdentifier: objectId('2.5.29.14'),
  authorityKeyIdentifier: objectId('2.5.29.35'),
  subjectAltName: objectId('2.5.29.17'),
}

const extension = (id: keyof typeof ids, value: Buffer, { critical = false } = {}): Buffer =>
  sequence(ids[id], ...(critical ? [boolean(true)] : []), octets(value))

const serverAndClientAuth = sequence(objectId('1.3.6.1.5.5.7.3.1'), objectId('1.3.6.1.5.5.7.3.2'))

const extensionsOf = (
  { isAuthority = false, dnsNames = [], ipAddresses = [] }: Claim,
  subject: Buffer,
  publicKey: Buffer,
  parent: Parent,
): readonly Buffer[] => {
  // Digital signature and key encipherment; for an authority, certificate signing too.
  const usage = isAuthority ? bits(Buffer.of(0xa4), 2) : bits(Buffer.of(0xa0), 5)
  const isOwn = parent.subject.equals(subject)
  const alternatives = [
    ...dnsNames.map(name => implicit(2, ia5(name))),
    ...ipAddresses.map(address => implicit(7, address)),
  ]
  return [
    extension('keyUsage', usage, { critical: true }),
    extension('extendedKeyUsage', serverAndClientAuth),
    extension('basicConstraints', sequence(...(isAuthority ? [boolean(true)] : [])), { critical: true }),
    ...(isAuthority ? [extension('subjectKeyIdentifier', octets(identifierOf(publicKey)))] : []),
    ...(!isOwn && parent.keyIdentifier
      ? [extension('authorityKeyIdentifier', sequence(implicit(0, parent.keyIdentifier)))]
      : []),
    ...(alternatives.length > 0
      ? [extension('subjectAltName', sequence(...alternatives), { critical: subject.length === 2 })]
      : []),
  ]
}

/** The first 160 bits of the SHA-256 of the public key's bits (RFC 7093, method 1). */
const identifierOf = (publicKey: Buffer): Buffer => {
  const [, key] = readSequence(publicKey)
  return createHash('sha256').update(key!.content.subarray(1)).digest().subarray(0, 20)
}

const ia5 = (name: string): Buffer => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the alphabet of IA5String
  if (!/^[\x00-\x7f]*$/.test(name)) throw new Error(`x509: ${JSON.stringify(name)} cannot be encoded as an IA5String`)
  return Buffer.from(name)
}
