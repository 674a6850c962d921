import assert from 'node:assert/strict'
import { createHash, createPrivateKey, generateKeyPairSync, sign, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'
import { encode, Tag } from 'cbor2'
import { InvalidDer } from '../../lib/foundations/der/read-der.ts'
import { objectId } from '../../lib/sources/git/git-object.ts'
import { readPack } from '../../lib/sources/git/pack.ts'
import { readKnownHosts } from '../../lib/sources/git/ssh/known-hosts.ts'
import { loadChart } from '../../lib/sources/helm/chart.ts'
import { filesInArchive } from '../../lib/sources/helm/chart-archive.ts'
import { spool } from '../../lib/sources/spool.ts'
import { isSignedByKey } from '../../lib/sources/verify/cosign-keys.ts'
import { readPublicKey } from '../../lib/sources/verify/public-key.ts'
import { type Certificate, readCertificate } from '../../lib/sources/verify/x509/certificate.ts'
import { certificateAuthority } from '../bed/certificates.ts'

/** Right answers of git servers, registries and chart repositories, to be damaged, and what reads them. */

export const text = (value: string | object): Buffer =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value))

export const digest = `sha256:${'ab'.repeat(32)}`
export const descriptor = { mediaType: 'application/vnd.oci.image.layer.v1.tar+gzip', digest, size: 3 }

/** An entry of a pack whose content is shorter than 16 bytes, or 2 KiB. */
const packed = (type: number, content: Buffer, base = Buffer.alloc(0)): Buffer => {
  const size = content.length
  const head = size < 16 ? [(type << 4) | size] : [0x80 | (type << 4) | (size & 15), size >> 4]
  return Buffer.concat([Buffer.from(head), base, deflateSync(content)])
}

/** A file, a delta to it by distance, and one by name that comes before its base. */
export const pack = (): Buffer => {
  const [blob, other] = [Buffer.from('hello world\n'), Buffer.from('another text')]
  const copied = (length: number) => Buffer.from([length, length + 1, 0x90, length, 1, 0x21])
  const first = packed(3, blob)
  const name = Buffer.from(objectId({ type: 'blob', content: other }), 'hex')
  const head = Buffer.from('PACK\0\0\0\u0002\0\0\0\u0004', 'latin1')
  const byDistance = packed(6, copied(blob.length), Buffer.from([first.length]))
  return Buffer.concat([head, first, byDistance, packed(7, copied(other.length), name), packed(3, other)])
}

export const withChecksum = (body: Buffer): Buffer => Buffer.concat([body, createHash('sha1').update(body).digest()])

const packLimits = { maxObjects: 100, maxObjectBytes: 1 << 20, maxTotalBytes: 8 << 20 }

/** In memory and from disk alike. */
export const readsPack = async (content: Buffer): Promise<void> => {
  const [inMemory, onDisk] = await Promise.all(
    [1 << 20, 0].map(async maxInMemory => {
      using pack = spool({ maxInMemory })
      pack.append(content)
      const objects = await readPack(pack, packLimits).catch((error: Error) => error)
      return objects instanceof Error ? objects : new Map([...objects].map(([id, { content }]) => [id, content]))
    }),
  )
  assert.deepEqual(onDisk, inMemory)
  if (inMemory instanceof Error) throw inMemory
}

export const hostKey = Buffer.concat([Buffer.from([0, 0, 0, 11]), Buffer.from('ssh-ed25519'), Buffer.alloc(36, 7)])

/** Whatever the file says, a key that does not stand in it is not known. */
export const readsKnownHosts = (content: Buffer): void => {
  const known = knownHostsIn(content)
  for (const host of ['git.example.com', 'a'.repeat(250)]) {
    known?.keyTypes(host, 22)
    if (known) assert.ok(known.problemWith(host, 2222, Buffer.from('not in it')))
  }
}

const knownHostsIn = (content: Buffer) => {
  try {
    return readKnownHosts(content.toString())
  } catch (error) {
    assert.match(
      (error as Error).message,
      /^knownhosts: (missing host pattern|missing key type pattern|this is not a key) \(from line \d+\)$/,
    )
    return undefined
  }
}

/** OpenSSL's own errors are refusals as well. */
export const readAnyCertificate = (content: Buffer): Certificate | undefined => {
  try {
    return readCertificate(content)
  } catch (error) {
    if (error instanceof InvalidDer || 'code' in (error as Error)) return undefined
    throw error
  }
}

export const readChart = async (content: Buffer) => loadChart(await filesInArchive(content))

export const publicBundle = readFileSync(
  join(import.meta.dirname, '../unit/sources/verify/npm-sigstore-1.3.0.bundle.json'),
)

const strangers = readPublicKey(
  Buffer.from(generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' })),
)

export const bundle = (): Buffer => {
  const statement = { _type: 'https://in-toto.io/Statement/v1', subject: [{ digest: { sha256: digest.slice(7) } }] }
  const payload = text(statement).toString('base64')
  return text({ dsseEnvelope: { payload, payloadType: 'application/vnd.in-toto+json', signatures: [{ sig: 'AAAA' }] } })
}

export const refusesBundle = (content: Buffer): void =>
  assert.equal(isSignedByKey({ bundles: [content], attached: [] }, digest, [strangers]), false)

export const notationEnvelopes = () => {
  const { cert, key } = certificateAuthority().issue('signer')
  const der = new X509Certificate(cert).raw
  const by = (content: Uint8Array) => sign('sha256', content, { key: createPrivateKey(key), dsaEncoding: 'ieee-p1363' })
  const payload = text({ targetArtifact: { digest, size: 3 } })
  const scheme = 'io.cncf.notary.signingScheme'
  const time = 'io.cncf.notary.signingTime'
  const head = text({ alg: 'ES256', cty: 'x', crit: [scheme], [scheme]: 'notary.x509', [time]: '2024-01-01T00:00:00Z' })
  const [first, second] = [head.toString('base64url'), payload.toString('base64url')]
  const jws = text({
    protected: first,
    payload: second,
    signature: by(text(`${first}.${second}`)).toString('base64url'),
    header: { x5c: [der.toString('base64')] },
  })
  const labels: readonly (readonly [unknown, unknown])[] = [
    [1, -7],
    [2, [scheme]],
    [3, 'x'],
    [scheme, 'notary.x509'],
    [time, new Tag(1, 1_700_000_000)],
  ]
  const bytes = (content: Uint8Array) => new Uint8Array(content)
  const protectedHead = encode(new Map(labels))
  const signature = by(encode(['Signature1', protectedHead, new Uint8Array(), bytes(payload)]))
  const parts = [protectedHead, new Map([[33, [bytes(der)]]]), bytes(payload), bytes(signature)]
  return { jws, cose: Buffer.from(encode(new Tag(18, parts))), payload }
}
