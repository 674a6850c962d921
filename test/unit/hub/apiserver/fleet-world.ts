import assert from 'node:assert/strict'
import { trimmed } from '../../../../lib/foundations/fleet/trimmed.ts'
import type { UnitRow } from '../../../../lib/foundations/fleet/unit-rows.ts'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import { createApiServer } from '../../../../lib/hub/apiserver/api-server.ts'
import { fleetIndex } from '../../../../lib/hub/apiserver/fleet/fleet-index.ts'
import { fleetReports } from '../../../../lib/hub/apiserver/fleet/fleet-reports.ts'
import { accessControl } from '../../../../lib/hub/authorize/access-control.ts'
import { bootstrapRoles } from '../../../../lib/hub/authorize/bootstrap-roles.ts'
import { by, hubWorld, registry } from '../store/world.ts'

const groups: Readonly<Record<string, string>> = {
  Kustomization: 'kustomize.toolkit.fluxcd.io/v1',
  GitRepository: 'source.toolkit.fluxcd.io/v1',
  Cluster: 'fleet.keelson.dev/v1alpha1',
}
export const sources = { spec: { url: 'https://example.com/app', interval: '1h' } }

/** A hub with the default roles, which `as` asks as a user. */
export const fleetWorld = async (options: Parameters<typeof hubWorld>[1] = {}) => {
  const { hub, clock, platform } = await hubWorld({}, options)
  await bootstrapRoles(hub)
  const access = accessControl({ hub, clock, onError: error => assert.fail(String(error)) }, 0)
  const handle = createApiServer({
    ...{ hub, clock, kinds: () => registry, authorizer: access.authorizer },
    fleet: fleetReports(fleetIndex(hub, trimmed), clock, platform.usage),
    authenticate: async request => {
      const name = request.headers.get('x-user')
      return name
        ? { name, groups: ['system:authenticated'] }
        : { name: 'admin', groups: ['system:masters', 'system:authenticated'] }
    },
  })
  const ask = async (path: string, user?: string) => {
    const response = await handle(new Request(`http://hub${path}`, { headers: user ? { 'x-user': user } : {} }))
    return { status: response.status, json: JSON.parse(await response.text()) }
  }
  const add = async (object: KubernetesObject): Promise<void> => {
    const { kind, spec, status } = object
    const needed = kind === 'Kustomization' ? { interval: '10m', prune: true, path: './' } : {}
    const whole = {
      ...object,
      apiVersion: groups[kind]!,
      spec: { ...needed, ...(spec as object) },
    } as KubernetesObject
    await hub.create(whole, by('test'))
    await hub.update({ ...whole, status }, { ...by('test'), subresource: 'status' })
  }
  const namespace = (name: string) =>
    hub.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }, by('test'))
  const grant = (user: string, namespace: string) =>
    hub.create(
      {
        ...{ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'RoleBinding', metadata: { name: user, namespace } },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'flux-view' },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
      },
      by('test'),
    )
  return { hub, ask, add, namespace, grant, clock, usage: platform.usage }
}

export const namesOf = ({ items }: { readonly items: readonly UnitRow[] }) => items.map(({ name }) => name)
