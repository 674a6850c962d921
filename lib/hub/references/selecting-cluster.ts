import type { ClusterClient } from '../../clusters/client/client.ts'
import { type CrossNamespaceSettings, requireNamespaceAllowed } from './access-denied.ts'
import { type AccountSettings, type Acting, actingAccount, impersonationOf } from './acting-account.ts'
import type { HubAs } from './read-dependency.ts'
import { namespaceOf } from './references.ts'

/** What a selector of a spec asks for. */
export interface Selection {
  readonly kind: string
  /** The referrer's own when empty, all when `*`. */
  readonly namespace?: string | undefined
  /** Any when empty. */
  readonly name?: string | undefined
}

/**
 * The hub as seen by whoever selects: in the referrer's own namespace the account that it names, else the hub itself, as in
 * flux-operator; in other namespaces also the default account. Fails with AccessDenied where the operator forbids those.
 */
export const selectingCluster = (
  referrer: Acting,
  { kind, namespace, name }: Selection,
  hubAs: HubAs,
  settings: AccountSettings & CrossNamespaceSettings,
): ClusterClient => {
  const own = namespaceOf(referrer)
  if (!namespace || namespace === own) return hubAs(impersonationOf(actingAccount(referrer, {})))
  requireNamespaceAllowed({ kind, namespace, name: name || '*' }, own, settings)
  return hubAs(impersonationOf(actingAccount(referrer, settings)))
}
