/** What the objects of a unit are like on their cluster, at paths below `/fleet/live`: read for the caller, with the rights that they have there. */
import { ClusterError } from '../../clusters/client/client.ts'
import { KubeconfigError } from '../../clusters/client/kubeconfig-error.ts'
import { builtInKinds } from '../../foundations/kinds/all.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import type { FleetReports } from '../apiserver/fleet/fleet-reports.ts'
import type { Viewer } from '../apiserver/fleet/visible-fleet.ts'
import { requireAllowed } from '../apiserver/require-allowed.ts'
import { badRequest, notFound } from '../store/api-errors.ts'
import { ApiError } from '../store/hub.ts'
import { liveEvents, liveObject, namedObject, podLog } from './live-object.ts'
import { isLivePath, liveParameters } from './live-paths.ts'
import { liveTree } from './live-tree.ts'
import { type LivePorts, reachAs } from './stored-access.ts'

const unitKinds = new Set(['Kustomization', 'HelmRelease', 'ResourceSet'])

/** For callers who may get a unit on the hub. What they see is what the cluster lets them. */
export const liveReports =
  (ports: LivePorts & { readonly clock: Pick<Clock, 'now'> }): FleetReports =>
  async ({ pathname, searchParams: query }, viewer) => {
    if (!isLivePath(pathname)) return undefined
    for (const name of query.keys())
      if (!liveParameters[pathname]!.includes(name)) throw badRequest(`unknown parameter ${name} of ${pathname}`)
    const given = (name: string): string => {
      const value = query.get(name)
      if (value) return value
      throw badRequest(`missing parameter ${name} of ${pathname}`)
    }
    const unit = await unitOf(ports, viewer, given('unit'))
    try {
      const { cluster, as } = await reachAs(ports, unit, viewer)
      if (pathname === '/fleet/live')
        return { ...(as && { as }), ...(await liveTree(unit, cluster, ports.clock.now())) }
      const named = namedObject(unit, given('object'))
      if (pathname === '/fleet/live/object') return await liveObject(cluster, named)
      if (pathname === '/fleet/live/events') return { items: await liveEvents(cluster, named) }
      return { text: await podLog(cluster, named, given('container')) }
    } catch (error) {
      throw asApiError(error)
    }
  }

const unitOf = async ({ hub }: LivePorts, viewer: Viewer, text: string): Promise<KubernetesObject> => {
  const [, kindName = '', namespace = '', name = ''] = /^(\w+)\/([^/]+)\/([^/]+)$/.exec(text) ?? []
  const kind = unitKinds.has(kindName) ? builtInKinds.find(known => known.kind === kindName) : undefined
  if (!kind) throw badRequest(`invalid unit=${text}: must be Kustomization, HelmRelease or ResourceSet/namespace/name`)
  const resource = {
    ...{ group: kind.group, version: kind.versions[0]!.name, resource: kind.plural, subresource: '', namespace, name },
  }
  await requireAllowed({ user: viewer.user, verb: 'get', path: '', resource }, viewer.authorize)
  const unit = await hub.get({ group: kind.group, kind: kind.kind, namespace, name })
  if (!unit) throw notFound(kind, name)
  return unit
}

/** A cluster's refusal is the caller's: 403 stays 403. All else is a fault between hub and cluster. */
const asApiError = (error: unknown): unknown => {
  if (error instanceof KubeconfigError) return new ApiError(503, 'ServiceUnavailable', error.message)
  if (!(error instanceof ClusterError)) return error
  if (error.code === 'forbidden') return new ApiError(403, 'Forbidden', `on the cluster: ${error.message}`)
  if (error.code === 'notFound' || error.code === 'noMatch')
    return new ApiError(404, 'NotFound', `on the cluster: ${error.message}`)
  return new ApiError(503, 'ServiceUnavailable', error.message)
}
