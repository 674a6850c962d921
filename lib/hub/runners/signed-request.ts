/** How a runner signs its requests: a JSON Web Signature (RFC 7515, EdDSA) over the path, the digest of the body, and the time. */
import { createHash, type KeyObject, sign, verify } from 'node:crypto'

export interface Signable {
  /** The Cluster whose runner signs, as `NAMESPACE/NAME`. */
  readonly cluster: string
  readonly path: string
  readonly body: string | Uint8Array
  /** Milliseconds since the epoch. */
  readonly now: number
}

interface Claims {
  readonly iss: string
  /** Seconds since the epoch. */
  readonly iat: number
  readonly path: string
  /** SHA-256 of the body, in hex. */
  readonly body: string
}

const scheme = 'Runner'
const header = encode({ alg: 'EdDSA', typ: 'keelson-runner+jwt' })

/** How long a request is valid, and how far clocks may differ: both in seconds. */
const lifetimeSeconds = 60

/** The value of the header `authorization`. */
export const signRequest = ({ cluster, path, body, now }: Signable, privateKey: KeyObject): string => {
  const claims: Claims = { iss: cluster, iat: Math.floor(now / 1000), path, body: digestOf(body) }
  const signed = `${header}.${encode(claims)}`
  return `${scheme} ${signed}.${sign(null, Buffer.from(signed), privateKey).toString('base64url')}`
}

/** A request that names its signer and its body; whether they are those, the functions know. */
export interface SignedRequest {
  readonly cluster: string
  isSignedBy(publicKey: KeyObject): boolean
  covers(body: Uint8Array): boolean
}

/** Undefined unless the header is a signature over this path, made within the last minute. The body need not be read yet. */
export const signedRequestOf = (
  authorization: string | null,
  { path, now }: Pick<Signable, 'path' | 'now'>,
): SignedRequest | undefined => {
  const [, head, payload = '', signature = ''] = /^Runner ([\w-]+)\.([\w-]+)\.([\w-]+)$/.exec(authorization ?? '') ?? []
  if (head !== header) return undefined
  const claims = decode(payload)
  if (claims?.path !== path) return undefined
  if (Math.abs(now / 1000 - claims.iat) > lifetimeSeconds) return undefined
  return {
    cluster: claims.iss,
    isSignedBy: publicKey =>
      verify(null, Buffer.from(`${head}.${payload}`), publicKey, Buffer.from(signature, 'base64url')),
    covers: body => claims.body === digestOf(body),
  }
}

const digestOf = (body: string | Uint8Array): string => createHash('sha256').update(body).digest('hex')

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

const decode = (payload: string): Claims | undefined => {
  try {
    const { iss, iat, path, body } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Partial<Claims>
    const isValid =
      typeof iss === 'string' && typeof iat === 'number' && typeof path === 'string' && typeof body === 'string'
    return isValid ? { iss, iat, path, body } : undefined
  } catch {
    return undefined
  }
}
