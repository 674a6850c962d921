import { createHash, timingSafeEqual } from 'node:crypto'
import { bearerTokenOf } from './authenticators.ts'
import type { Authenticate, User } from './caller.ts'

/** Knows one user by one token. Tokens are compared by digest, so that time tells nothing about them. */
export const bearerToken = (token: string, user: User): Authenticate => {
  const expected = digest(token)
  return async request => {
    const given = bearerTokenOf(request)
    return given !== undefined && timingSafeEqual(digest(given), expected) ? user : undefined
  }
}

const digest = (token: string) => createHash('sha256').update(token).digest()

/** The user that the embedded hub's kubeconfig stands for. */
export const admin: User = { name: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] }
