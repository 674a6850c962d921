import { RecentlyUsed } from '../../../foundations/budget/recently-used.ts'
import type { AccessToken } from '../access-token.ts'
import { cached } from '../cached.ts'
import type { AzureIdentity } from './identity.ts'

/** Our own code uses few resources; the bound is for those that key vaults name. */
const maxResources = 50

/** Caches a token per resource. */
export const cachedByResource = (
  obtain: (resource: string) => Promise<AccessToken>,
  now: () => number,
): AzureIdentity => {
  const tokens = new RecentlyUsed<(signal?: AbortSignal) => Promise<AccessToken>>(maxResources)
  return ({ resource, signal }) => tokens.getOrMake(resource, () => cached(() => obtain(resource), now))(signal)
}
