import type { AccessToken } from '../access-token.ts'
import { cached } from '../cached.ts'
import type { AzureIdentity } from './identity.ts'

/** Resources are few and come from our own code; the bound is for those that a vault names. */
const maxResources = 50

/** Keeps a token for each resource. */
export const cachedByResource = (
  obtain: (resource: string) => Promise<AccessToken>,
  now: () => number,
): AzureIdentity => {
  const tokens = new Map<string, (signal?: AbortSignal) => Promise<AccessToken>>()
  return ({ resource, signal }) => {
    const known = tokens.get(resource)
    if (known) return known(signal)
    if (tokens.size >= maxResources) tokens.delete(tokens.keys().next().value!)
    const token = cached(() => obtain(resource), now)
    tokens.set(resource, token)
    return token(signal)
  }
}
