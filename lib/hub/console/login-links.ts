/** Links that log in a browser once, for callers whom the API has authenticated. */
import { createHash } from 'node:crypto'
import type { Clock } from '../../platform/ports/clock.ts'
import { type ObjectStore, StoreError } from '../../platform/ports/objects.ts'
import type { Random } from '../../platform/ports/random.ts'
import type { Credential } from './credential.ts'
import type { Seals } from './seals.ts'

export interface LoginLinks {
  /** The code of a new link, valid for ten minutes. */
  issue(credential: Credential): Promise<string>
  /** The credential behind a code, once; undefined if the code is unknown, used or expired. */
  redeem(code: string): Promise<Credential | undefined>
}

export interface LoginLinkPorts {
  readonly objects: Pick<ObjectStore, 'get' | 'commit'>
  readonly seals: Seals
  readonly clock: Pick<Clock, 'now'>
  readonly random: Pick<Random, 'bytes'>
}

const validMs = 10 * 60_000
const context = 'console/link'

/** In the hub's store, so that any of its processes may redeem what another has issued. Codes are kept as digests. */
export const createLoginLinks = ({ objects, seals, clock, random }: LoginLinkPorts): LoginLinks => ({
  issue: async credential => {
    const code = Buffer.from(random.bytes(32)).toString('base64url')
    const body = await seals.seal(credential, context, validMs)
    await objects.commit({ op: 'create', ref: refOf(code), body, refersTo: [], expires: clock.now() + validMs })
    return code
  },
  redeem: async code => {
    const ref = refOf(code)
    const found = await objects.get(ref)
    if (!found || !(await isFirst(objects, found))) return undefined
    return seals.open<Credential>(found.body, context)
  },
})

/** Not a kind of the API: no role grants access to it. */
const refOf = (code: string) => ({
  ...{ group: 'keelson.dev', kind: 'LoginLink', namespace: '' },
  name: createHash('sha256').update(code).digest('hex'),
})

/** Deletes a link; whether nobody else has done so before. */
const isFirst = async (
  objects: LoginLinkPorts['objects'],
  { ref, version, body }: NonNullable<Awaited<ReturnType<ObjectStore['get']>>>,
): Promise<boolean> => {
  try {
    await objects.commit({ op: 'delete', ref, expect: version, body })
    return true
  } catch (error) {
    if (error instanceof StoreError && (error.code === 'missing' || error.code === 'conflict')) return false
    throw error
  }
}
