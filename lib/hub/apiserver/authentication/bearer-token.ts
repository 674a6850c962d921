import { createHash, timingSafeEqual } from 'node:crypto'
import { bearerTokenOf } from './authenticators.ts'
import type { Authenticate, User } from './caller.ts'

/** Authenticates one user by one token. Compares digests, so that timing reveals nothing about the token. */
export const bearerToken = (token: string, user: User): Authenticate => {
  const expected = digest(token)
  return async request => {
    const given = bearerTokenOf(request)
    return given !== undefined && timingSafeEqual(digest(given), expected) ? user : undefined
  }
}

const digest = (token: string) => createHash('sha256').update(token).digest()

/** The user of the embedded hub's kubeconfig. */
export const admin: User = { name: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] }
