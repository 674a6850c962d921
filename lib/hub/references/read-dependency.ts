import { type CallOptions, type ClusterClient, ClusterError } from '../../clusters/client/client.ts'
import type { Impersonation } from '../../clusters/client/kubeconfig.ts'
import type { KubernetesObject, ObjectRef } from '../../foundations/kinds/object.ts'
import { impersonationOf } from './acting-account.ts'
import { namespaceOf, type Referrer } from './references.ts'

/** The methods needed of a cluster. */
export type Reads = Pick<ClusterClient, 'get' | 'resourceFor'>

/** On whose behalf a dependency is read. */
export interface DependencyReader {
  /** Namespace of the object with the dependency; undefined on another cluster, where it has no namespace. */
  readonly namespace: string | undefined
  /** The account that this object acts as; undefined for the hub itself. */
  readonly account: ObjectRef | undefined
  /** The cluster as the hub sees it. */
  readonly asHub: Reads
  /** The cluster as the account sees it. */
  readonly asAccount: Reads
}

/** The hub as a cluster, as seen by a user; by default as seen by the hub itself. */
export type HubAs = (impersonate?: Impersonation) => ClusterClient

/** For dependencies on the hub itself. */
export const hubReader = (referrer: Referrer, account: ObjectRef | undefined, hubAs: HubAs): DependencyReader => ({
  namespace: namespaceOf(referrer),
  account,
  asHub: hubAs(),
  asAccount: hubAs(impersonationOf(account)),
})

export interface DependencyReference {
  readonly apiVersion: string
  readonly ref: ObjectRef
  /** Whether an expression is evaluated over the object, rather than only checking that it exists and is ready. */
  readonly hasExpression: boolean
}

export interface DependencyRead {
  /** Undefined: it does not exist, or the account may not get it. */
  readonly object: KubernetesObject | undefined
  /** Suffix for `not found`: the account that may lack the right to get the object. The same whether it exists or not. */
  readonly orForbidden: string
}

/**
 * Reads an object in `spec.dependsOn`. As in Flux, anyone may learn whether an object exists and is ready, so the hub reads it. But an
 * expression can reveal the whole object, bit by bit: for an object of another namespace, or a cluster-scoped one, the account needs the
 * right to `get` it, otherwise the object counts as not found.
 */
export const readDependency = async (
  reader: DependencyReader,
  { apiVersion, ref, hasExpression }: DependencyReference,
  options: CallOptions = {},
): Promise<DependencyRead> => {
  const { account, asHub, asAccount } = reader
  if (!account || !hasExpression || (await isInNamespaceOf(reader, apiVersion, ref, options)))
    return { object: await asHub.get(apiVersion, ref, options), orForbidden: '' }
  const orForbidden = `, or the ServiceAccount '${account.namespace}/${account.name}' may not get it`
  try {
    return { object: await asAccount.get(apiVersion, ref, options), orForbidden }
  } catch (error) {
    if (error instanceof ClusterError && error.code === 'forbidden') return { object: undefined, orForbidden }
    throw error
  }
}

/** A cluster-scoped kind is in no namespace, whatever the reference says. */
const isInNamespaceOf = async (
  { namespace, asHub }: DependencyReader,
  apiVersion: string,
  { kind, namespace: named }: ObjectRef,
  options: CallOptions,
): Promise<boolean> => named === namespace && (await asHub.resourceFor(apiVersion, kind, options)).namespaced
