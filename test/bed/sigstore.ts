import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

/** The identity in a certificate of Fulcio, and its issuer. */
export interface Identity {
  /** An address of a workflow, or of a person's mail when it has an `@`. */
  readonly subject: string
  readonly issuer: string
}

interface Odd {
  /** When the log says that it took the signature. */
  readonly loggedAt?: Date
  /** Leaves out what the certificate log says, or something of the transparency log. */
  readonly without?: readonly ('sct' | 'promise' | 'proof')[]
  /** Purposes (extended key usage) of the certificate, as identifiers in DER. */
  readonly purposes?: readonly string[]
}

const sha256 = (content: string | Uint8Array): Buffer => createHash('sha256').update(content).digest()
const keyPair = () => generateKeyPairSync('ec', { namedCurve: 'P-256' })
const spki = (key: KeyObject): Buffer => key.export({ type: 'spki', format: 'der' })
const signature = (content: Uint8Array, key: KeyObject): Buffer => sign('sha256', content, key)

// DER, of this file's own: tag, length, content.
const der = (tag: number, ...content: readonly Uint8Array[]): Buffer => {
  const body = Buffer.concat(content)
  const { length: n } = body
  const length = n < 0x80 ? [n] : n < 0x100 ? [0x81, n] : [0x82, n >> 8, n & 0xff]
  return Buffer.concat([Uint8Array.of(tag, ...length), body])
}
const sequence = (...content: readonly Uint8Array[]) => der(0x30, ...content)
const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'))
const octets = (content: Uint8Array) => der(0x04, content)
const extension = (id: string, critical: boolean, value: Uint8Array) =>
  sequence(oid(id), ...(critical ? [der(0x01, Uint8Array.of(0xff))] : []), octets(value))
const time = (date: Date) =>
  der(
    0x17,
    Buffer.from(
      `${date
        .toISOString()
        .replace(/[-:T]|\.\d+/g, '')
        .slice(2)}`,
    ),
  )
const name = (text: string) => sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from(text)))))
const ecdsaWithSha256 = sequence(oid('2a8648ce3d040302'))
const codeSigning = '2b06010505070303'

const u16 = (value: number) => Buffer.from([value >> 8, value & 0xff])
const u24 = (value: number) => Buffer.from([value >> 16, (value >> 8) & 0xff, value & 0xff])
const u64 = (value: number) => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(value))
  return bytes
}

/**
 * A Sigstore of the tests' own: Fulcio's authority, its log of certificates and Rekor, as signing with cosign leaves their traces.
 * It shares nothing with what verifies.
 */
export const testSigstore = () => {
  const [authority, certificateLog, rekor] = [keyPair(), keyPair(), keyPair()]
  const start = new Date(Date.now() - 3_600_000)
  const minutes = (n: number) => new Date(Date.now() + n * 60_000)

  const certify = (subject: Uint8Array, key: KeyObject, from: Date, to: Date, extensions: readonly Uint8Array[]) =>
    sequence(
      ...[
        der(0xa0, der(0x02, Uint8Array.of(2))),
        der(0x02, Buffer.concat([Uint8Array.of(1), randomBytes(15)])),
        ecdsaWithSha256,
      ],
      ...[name('fulcio'), sequence(time(from), time(to)), subject, spki(key), der(0xa3, sequence(...extensions))],
    )
  const sealed = (body: Uint8Array) =>
    sequence(body, ecdsaWithSha256, der(0x03, Uint8Array.of(0), signature(body, authority.privateKey)))
  const rootExtensions = [
    extension('551d13', true, sequence(der(0x01, Uint8Array.of(0xff)))),
    extension('551d0f', true, der(0x03, Uint8Array.of(1, 0x06))),
  ]
  const root = sealed(certify(name('fulcio'), authority.publicKey, start, minutes(600), rootExtensions))

  const certificateOf = (
    { subject, issuer }: Identity,
    key: KeyObject,
    { without = [], purposes = [codeSigning] }: Odd,
  ) => {
    const kind = subject.includes('@') ? 0x81 : 0x86
    const extensions = [
      extension('551d0f', true, der(0x03, Uint8Array.of(7, 0x80))),
      ...(purposes.length > 0 ? [extension('551d25', false, sequence(...purposes.map(oid)))] : []),
      extension('551d11', true, sequence(der(kind, Buffer.from(subject)))),
      extension('2b0601040183bf300108', false, der(0x0c, Buffer.from(issuer))),
    ]
    const [from, to] = [minutes(-5), minutes(5)]
    const serial = certify(sequence(), key, from, to, extensions)
    if (without.includes('sct')) return sealed(serial)
    const at = u64(Date.now())
    const isSigned = Buffer.concat([
      ...[Uint8Array.of(0, 0), at, u16(1), sha256(spki(authority.publicKey)), u24(serial.length), serial, u16(0)],
    ])
    const proof = signature(isSigned, certificateLog.privateKey)
    const sct = Buffer.concat([
      ...[
        Uint8Array.of(0),
        sha256(spki(certificateLog.publicKey)),
        at,
        u16(0),
        Uint8Array.of(4, 3),
        u16(proof.length),
        proof,
      ],
    ])
    const list = Buffer.concat([u16(sct.length + 2), u16(sct.length), sct])
    // The same body with one extension more: what was signed before it was there.
    const all = Buffer.concat([...extensions, extension('2b06010401d679020402', false, octets(list))])
    const head = serial.subarray(4, serial.length - der(0xa3, sequence(...extensions)).length)
    return sealed(sequence(head, der(0xa3, sequence(all))))
  }

  const logged = (entry: object, { loggedAt = new Date(), without = [] }: Odd) => {
    const body = Buffer.from(JSON.stringify(entry))
    const integratedTime = Math.floor(loggedAt.getTime() / 1000)
    const logID = sha256(spki(rekor.publicKey))
    const shown = { body: body.toString('base64'), integratedTime, logID: logID.toString('hex'), logIndex: 0 }
    const promise = signature(Buffer.from(JSON.stringify(shown)), rekor.privateKey).toString('base64')
    const rootHash = sha256(Buffer.concat([Uint8Array.of(0), body])).toString('base64')
    const note = `rekor.test - 1\n1\n${rootHash}\n`
    const mark = Buffer.concat([logID.subarray(0, 4), signature(Buffer.from(note), rekor.privateKey)]).toString(
      'base64',
    )
    const { kind, apiVersion } = entry as { readonly kind: string; readonly apiVersion: string }
    const checkpoint = { envelope: `${note}\n\u2014 rekor.test ${mark}\n` }
    const inBundle = {
      ...{ logIndex: '0', logId: { keyId: logID.toString('base64') }, kindVersion: { kind, version: apiVersion } },
      ...{ integratedTime: String(integratedTime), canonicalizedBody: shown.body },
      ...(!without.includes('promise') && { inclusionPromise: { signedEntryTimestamp: promise } }),
      ...(!without.includes('proof') && {
        inclusionProof: { logIndex: '0', rootHash, treeSize: '1', hashes: [], checkpoint },
      }),
    }
    return { inBundle, attached: JSON.stringify({ SignedEntryTimestamp: promise, Payload: shown }) }
  }

  const pem = (certificate: Uint8Array) =>
    `-----BEGIN CERTIFICATE-----\n${Buffer.from(certificate)
      .toString('base64')
      .match(/.{1,64}/g)!
      .join('\n')}\n-----END CERTIFICATE-----\n`

  return {
    /** `trusted_root.json` */
    trustedRoot: JSON.stringify(trustedRootOf(root, rekor.publicKey, certificateLog.publicKey, start)),

    /** A bundle (v0.3) about a digest (`sha256:...`), as JSON. */
    bundle: (digest: string, identity: Identity, odd: Odd = {}): string => {
      const { publicKey, privateKey } = keyPair()
      const certificate = certificateOf(identity, publicKey, odd)
      const payloadType = 'application/vnd.in-toto+json'
      const statement = { _type: 'https://in-toto.io/Statement/v1', subject: [{ digest: { sha256: digest.slice(7) } }] }
      const predicate = { predicateType: 'https://sigstore.dev/cosign/sign/v1', predicate: {} }
      const payload = Buffer.from(JSON.stringify({ ...statement, ...predicate }))
      const encoded = Buffer.concat([
        Buffer.from(`DSSEv1 ${payloadType.length} ${payloadType} ${payload.length} `),
        payload,
      ])
      const sig = signature(encoded, privateKey).toString('base64')
      const verifier = Buffer.from(pem(certificate)).toString('base64')
      const hash = (value: Uint8Array) => ({ algorithm: 'sha256', value: sha256(value).toString('hex') })
      const spec = {
        envelopeHash: hash(encoded),
        payloadHash: hash(payload),
        signatures: [{ signature: sig, verifier }],
      }
      const { inBundle } = logged({ apiVersion: '0.0.1', kind: 'dsse', spec }, odd)
      const certificates = { certificate: { rawBytes: certificate.toString('base64') } }
      return JSON.stringify({
        mediaType: 'application/vnd.dev.sigstore.bundle.v0.3+json',
        verificationMaterial: { ...certificates, tlogEntries: [inBundle] },
        dsseEnvelope: { payload: payload.toString('base64'), payloadType, signatures: [{ sig }] },
      })
    },

    /** What older cosigns attach for a digest: a payload, and annotations of its layer. */
    attached: (digest: string, identity: Identity, odd: Odd = {}) => {
      const { publicKey, privateKey } = keyPair()
      const certificate = pem(certificateOf(identity, publicKey, odd))
      const critical = { type: 'cosign container image signature', image: { 'docker-manifest-digest': digest } }
      const payload = Buffer.from(JSON.stringify({ critical, optional: null }))
      const content = signature(payload, privateKey).toString('base64')
      const hash = { algorithm: 'sha256', value: sha256(payload).toString('hex') }
      const signed = { content, publicKey: { content: Buffer.from(certificate).toString('base64') } }
      const { attached } = logged(
        { apiVersion: '0.0.1', kind: 'hashedrekord', spec: { data: { hash }, signature: signed } },
        odd,
      )
      const annotations: Readonly<Record<string, string>> = {
        'dev.cosignproject.cosign/signature': content,
        'dev.sigstore.cosign/certificate': certificate,
        'dev.sigstore.cosign/bundle': attached,
      }
      return { payload, annotations }
    },
  }
}

const trustedRootOf = (root: Buffer, rekor: KeyObject, certificateLog: KeyObject, start: Date) => {
  const validFor = { start: start.toISOString() }
  const log = (key: KeyObject, baseUrl: string) => ({
    ...{ baseUrl, hashAlgorithm: 'SHA2_256', logId: { keyId: sha256(spki(key)).toString('base64') } },
    publicKey: { rawBytes: spki(key).toString('base64'), keyDetails: 'PKIX_ECDSA_P256_SHA_256', validFor },
  })
  return {
    mediaType: 'application/vnd.dev.sigstore.trustedroot+json;version=0.1',
    tlogs: [log(rekor, 'https://rekor.test')],
    certificateAuthorities: [
      {
        ...{ subject: { organization: 'test', commonName: 'fulcio' }, uri: 'https://fulcio.test', validFor },
        certChain: { certificates: [{ rawBytes: root.toString('base64') }] },
      },
    ],
    ctlogs: [log(certificateLog, 'https://ct.test')],
    timestampAuthorities: [],
  }
}
