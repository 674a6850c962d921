import type { ClusterClient } from '../../clusters/client/client.ts'
import { type CrossNamespaceSettings, requireNamespaceAllowed } from './access-denied.ts'
import { type AccountSettings, type Acting, actingAccount, impersonationOf } from './acting-account.ts'
import type { HubAs } from './read-dependency.ts'
import { namespaceOf } from './references.ts'

/** A selector of a spec. */
export interface Selection {
  readonly kind: string
  /** The referrer's own if empty, all if `*`. */
  readonly namespace?: string | undefined
  /** Any if empty. */
  readonly name?: string | undefined
}

/**
 * The hub as seen by the account that selects: in the referrer's own namespace the account in its spec, or the hub itself, as in
 * flux-operator; in other namespaces also the default account. Fails with AccessDenied if the operator forbids those.
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
