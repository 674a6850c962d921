import { builtInKinds } from '../../../foundations/kinds/all.ts'
import type { KubernetesObject } from '../../../foundations/kinds/object.ts'
import { badRequest, notFound } from '../../store/api-errors.ts'
import type { Hub } from '../../store/hub.ts'
import { requireAllowed } from '../require-allowed.ts'
import type { Viewer } from './visible-fleet.ts'

const unitKinds = new Set(['Kustomization', 'HelmRelease', 'ResourceSet'])

/** The unit that a report names as `Kind/namespace/name`. Fails with BadRequest, Forbidden if the caller may not get it, or NotFound. */
export const visibleUnit = async (hub: Pick<Hub, 'get'>, viewer: Viewer, text: string): Promise<KubernetesObject> => {
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
