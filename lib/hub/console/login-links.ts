/** Links that log in a browser once, for callers whom the API has authenticated. */
import { createHash } from 'node:crypto'
import type { Clock } from '../../platform/ports/clock.ts'
import type { Random } from '../../platform/ports/random.ts'
import type { Credential } from './credential.ts'

export interface LoginLinks {
  /** The code of a new link, valid for ten minutes. */
  issue(credential: Credential): string
  /** The credential behind a code, once; undefined if the code is unknown, used or expired. */
  redeem(code: string): Credential | undefined
}

interface Issued {
  readonly credential: Credential
  /** On the monotonic clock. */
  readonly expiresAt: number
}

export interface LoginLinkPorts {
  readonly clock: Pick<Clock, 'monotonic'>
  readonly random: Pick<Random, 'bytes'>
}

const validMs = 10 * 60_000
/** The oldest go first. */
const maxLinks = 1_000

/** In memory: a restart of the hub forgets them. Codes are kept as digests. */
export const createLoginLinks = ({ clock, random }: LoginLinkPorts): LoginLinks => {
  const issued = new Map<string, Issued>()
  return {
    issue: credential => {
      const code = Buffer.from(random.bytes(32)).toString('base64url')
      const now = clock.monotonic()
      for (const [key, { expiresAt }] of issued) if (expiresAt <= now || issued.size >= maxLinks) issued.delete(key)
      issued.set(digestOf(code), { credential, expiresAt: now + validMs })
      return code
    },
    redeem: code => {
      const key = digestOf(code)
      const found = issued.get(key)
      issued.delete(key)
      return found && found.expiresAt > clock.monotonic() ? found.credential : undefined
    },
  }
}

const digestOf = (code: string): string => createHash('sha256').update(code).digest('base64url')
