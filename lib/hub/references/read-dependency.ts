import { type CallOptions, type ClusterClient, ClusterError } from '../../clusters/client/client.ts'
import type { Impersonation } from '../../clusters/client/kubeconfig.ts'
import type { KubernetesObject, ObjectRef } from '../../foundations/kinds/object.ts'
import { impersonationOf } from './acting-account.ts'
import { namespaceOf, type Referrer } from './references.ts'

/** What it takes of a cluster. */
export type Reads = Pick<ClusterClient, 'get' | 'resourceFor'>

/** For whom a dependency is read. */
export interface DependencyReader {
  /** Namespace of the object whose spec names the dependency; undefined on another cluster, where no namespace is its own. */
  readonly namespace: string | undefined
  /** The account that this object acts as; undefined for the hub itself. */
  readonly account: ObjectRef | undefined
  /** The cluster as the hub sees it. */
  readonly asHub: Reads
  /** The cluster as the account sees it. */
  readonly asAccount: Reads
}

/** The hub as a cluster, as some user sees it; as the hub itself unless one is named. */
export type HubAs = (impersonate?: Impersonation) => ClusterClient

/** For dependencies of the hub itself. */
export const hubReader = (referrer: Referrer, account: ObjectRef | undefined, hubAs: HubAs): DependencyReader => ({
  namespace: namespaceOf(referrer),
  account,
  asHub: hubAs(),
  asAccount: hubAs(impersonationOf(account)),
})

export interface DependencyReference {
  readonly apiVersion: string
  readonly ref: ObjectRef
  /** Whether an expression is evaluated over the object, and not only told whether it is there and ready. */
  readonly hasExpression: boolean
}

export interface DependencyRead {
  /** Undefined: it is not there, or the account may not get it. */
  readonly object: KubernetesObject | undefined
  /** What to add to `not found`: who may lack the right to get the object. The same whether it is there or not. */
  readonly orForbidden: string
}

/**
 * Reads an object that `spec.dependsOn` names. As in Flux, whether it is there and ready may be known of any object, so the hub reads
 * it. An expression can find out everything about an object, bit by bit: over one of another namespace, or of the cluster scope, it
 * needs the right to `get` it, and without that right the object is as good as absent.
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

/** A kind of the cluster scope is in no namespace, whatever the reference says. */
const isInNamespaceOf = async (
  { namespace, asHub }: DependencyReader,
  apiVersion: string,
  { kind, namespace: named }: ObjectRef,
  options: CallOptions,
): Promise<boolean> => named === namespace && (await asHub.resourceFor(apiVersion, kind, options)).namespaced
