import type { CallOptions, ClusterClient } from '../../clusters/client/client.ts'
import { ClusterError } from '../../clusters/client/client.ts'
import { groupOf, refOf } from '../../foundations/kinds/object.ts'
import type { HubNamespaces } from './hub-namespaces.ts'

/** Requires that the account may use these verbs on objects of a kind in a namespace of the hub. Fails with a ClusterError. */
export type RequireAllowed = (
  verbs: readonly string[],
  resource: { readonly apiVersion: string; readonly kind: string; readonly namespace: string },
  options: CallOptions | undefined,
) => Promise<void>

/** The hub, restricted to the namespaces of an inherited target, and to what is allowed there. */
export const guardedHub = (hub: ClusterClient, namespaces: HubNamespaces, allowed: RequireAllowed): ClusterClient => {
  const admit: RequireAllowed = async (verbs, resource, options) => {
    if (!resource.namespace)
      throw new ClusterError('forbidden', `${resource.kind} of the hub is only accessible within a namespace`)
    await namespaces.requireOwn(resource.namespace, options)
    await allowed(verbs, resource, options)
  }
  return {
    ...hub,
    get: async (apiVersion, ref, options) => {
      await admit(['get'], { apiVersion, ...ref }, options)
      return hub.get(apiVersion, ref, options)
    },
    list: async (query, options) => {
      await admit(['list'], { ...query, namespace: query.namespace ?? '' }, options)
      return hub.list(query, options)
    },
    apply: async (object, options) => {
      await admit(['patch', 'create'], { apiVersion: object.apiVersion, ...refOf(object) }, options)
      return hub.apply(object, options)
    },
    create: async (object, options) => {
      await admit(['create'], { apiVersion: object.apiVersion, ...refOf(object) }, options)
      return hub.create(object, options)
    },
    patch: async (apiVersion, ref, patch, options) => {
      await admit(['patch'], { apiVersion, ...ref }, options)
      return hub.patch(apiVersion, ref, patch, options)
    },
    delete: async (apiVersion, ref, options) => {
      await admit(['delete'], { apiVersion, ...ref }, options)
      return hub.delete(apiVersion, ref, options)
    },
  }
}

/**
 * Requires that a cluster's RBAC allows its user the same verbs on Flux objects in its namespace that the hub uses in its own: with Flux,
 * these objects would be on the cluster.
 */
export const allowedOnCluster = (
  cluster: ClusterClient,
  hub: Pick<ClusterClient, 'resourceFor'>,
  prefix: string,
): RequireAllowed => {
  const known = new Map<string, Promise<boolean>>()
  return async (verbs, { apiVersion, kind, namespace: onHub }, options) => {
    const { group, version, plural } = await hub.resourceFor(apiVersion, kind, options)
    const namespace = onHub.slice(prefix.length)
    const isAllowed = async (verb: string): Promise<boolean> => {
      const resourceAttributes = { verb, group, version, resource: plural, namespace }
      const review = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview', metadata: { name: '' } }
      const spec = { resourceAttributes }
      const call = { fieldManager: 'keelson', ...(options?.signal && { signal: options.signal }) }
      const { status } = await cluster.create({ ...review, spec }, call)
      return (status as { readonly allowed?: boolean } | undefined)?.allowed === true
    }
    for (const verb of verbs) {
      const key = `${verb} ${groupOf(apiVersion)}/${plural} ${namespace}`
      const result = known.get(key) ?? isAllowed(verb)
      known.set(key, result)
      result.catch(() => known.delete(key))
      if (await result) continue
      throw new ClusterError(
        'forbidden',
        `the acting account may not ${verb} ${plural}.${group} in namespace "${namespace}" of cluster ${cluster.server}, whose RBAC also applies to Flux objects`,
        { status: 403, reason: 'Forbidden' },
      )
    }
  }
}
