/** The Secret `CLUSTER-runner`: who may act as the runner of a Cluster. It holds nothing with which one could. */
import { createHash, createPublicKey, type KeyObject, timingSafeEqual } from 'node:crypto'
import type { ObjectRef } from '../../foundations/kinds/object.ts'
import { type Secret, secretBytes } from '../../foundations/kinds/secret.ts'

export const runnerSecretType = 'fleet.keelson.dev/runner'

/** How long a join token is valid, in milliseconds. */
export const joinTokenMs = 60 * 60_000

/** Where the Secret of a Cluster's runner is. */
export const runnerSecretRef = ({ namespace, name }: { readonly namespace: string; readonly name: string }) =>
  ({ group: '', kind: 'Secret', namespace, name: `${name}-runner` }) satisfies ObjectRef

const keys = { digest: 'join-token-sha256', expires: 'join-token-expires', publicKey: 'public-key' } as const

const secretOf = ({ namespace, name }: ObjectRef, data: Readonly<Record<string, string>>): Secret => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { namespace, name },
  type: runnerSecretType,
  data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')])),
})

/** A Secret that waits for a runner with this token; a runner that was enrolled before is not one any more. */
export const secretWithToken = (ref: ObjectRef, token: string, now: number): Secret =>
  secretOf(ref, { [keys.digest]: digestOf(token), [keys.expires]: new Date(now + joinTokenMs).toISOString() })

/** The same Secret once a runner has enrolled: the token is spent. `publicKey` is DER in base64. */
export const secretWithKey = (secret: Secret, publicKey: string): Secret => ({
  ...secret,
  data: secretOf(runnerSecretRef({ namespace: '', name: '' }), { [keys.publicKey]: publicKey }).data,
})

/** Whether the Secret waits for this token. */
export const isTokenOf = (secret: Secret, token: string, now: number): boolean => {
  const expected = textIn(secret, keys.digest)
  const given = digestOf(token)
  const isEqual = expected?.length === given.length && timingSafeEqual(Buffer.from(expected), Buffer.from(given))
  return secret.type === runnerSecretType && isEqual && Date.parse(textIn(secret, keys.expires) ?? '') > now
}

/** The key of the enrolled runner; undefined if there is none. */
export const runnerKeyOf = (secret: Secret): KeyObject | undefined => {
  const text = secret.type === runnerSecretType ? textIn(secret, keys.publicKey) : undefined
  return text === undefined ? undefined : publicKeyOf(text)
}

/** Undefined for anything but an Ed25519 key. */
export const publicKeyOf = (base64: string): KeyObject | undefined => {
  try {
    const key = createPublicKey({ key: Buffer.from(base64, 'base64'), format: 'der', type: 'spki' })
    return key.asymmetricKeyType === 'ed25519' ? key : undefined
  } catch {
    return undefined
  }
}

const textIn = (secret: Secret, key: string): string | undefined => secretBytes(secret, key)?.toString('utf8')

const digestOf = (token: string): string => createHash('sha256').update(token).digest('hex')
