import type { Impersonation } from '../../clusters/client/kubeconfig.ts'
import type { ObjectRef } from '../../foundations/kinds/object.ts'

/** An object whose spec may name the account that it acts as. */
export interface Acting {
  readonly metadata: { readonly namespace?: string }
  readonly spec: { readonly serviceAccountName?: string }
}

export interface AccountSettings {
  /** Default ServiceAccount (`--default-service-account`). */
  readonly defaultServiceAccount?: string | undefined
  /** The namespace whose objects act as the hub itself unless they name an account. */
  readonly ownNamespace?: string | undefined
}

/**
 * The ServiceAccount that an object acts as, in the object's own namespace: the one in its spec, or the default. Undefined means the hub
 * itself, as in Flux.
 */
export const actingAccount = (
  { metadata: { namespace = '' }, spec }: Acting,
  { defaultServiceAccount, ownNamespace }: AccountSettings,
): ObjectRef | undefined => {
  const name = spec.serviceAccountName || (namespace === ownNamespace ? undefined : defaultServiceAccount)
  return name ? { group: '', kind: 'ServiceAccount', namespace, name } : undefined
}

/** The RBAC user of an account; undefined for the hub itself. */
export const impersonationOf = (account: ObjectRef | undefined): Impersonation | undefined =>
  account && { user: `system:serviceaccount:${account.namespace}:${account.name}` }
