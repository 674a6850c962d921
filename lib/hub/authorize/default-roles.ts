/**
 * The default roles and bindings of kube-apiserver 1.36. They include resources that a hub does not serve, so that its users can grant what
 * they could grant in any cluster.
 */
import type { ClusterRole } from '../../foundations/kinds/cluster-role.ts'
import type { PolicyRule } from '../../foundations/kinds/policy-rule.ts'
import { rbacGroup } from '../../foundations/kinds/policy-rule.ts'
import { fleetGroup } from '../../foundations/kinds/references.ts'
import type { RoleBinding } from '../../foundations/kinds/role-binding.ts'

const reading = ['get', 'list', 'watch']
const writing = ['create', 'delete', 'deletecollection', 'patch', 'update']
const both = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch']

/** `list` contains the resources, separated by spaces. */
const on = (apiGroups: string | readonly string[], list: string, verbs: readonly string[]): PolicyRule => ({
  apiGroups: typeof apiGroups === 'string' ? [apiGroups] : apiGroups,
  resources: list.split(' '),
  verbs,
})
const at = (paths: string): PolicyRule => ({ nonResourceURLs: paths.split(' '), verbs: ['get'] })

const scalable = 'daemonsets deployments deployments/rollback deployments/scale'
const oldScales = 'replicasets replicasets/scale replicationcontrollers/scale'
const throughPods = 'pods/attach pods/exec pods/portforward pods/proxy'

const editing: readonly PolicyRule[] = [
  on('', `${throughPods} secrets services/proxy`, reading),
  on('', 'serviceaccounts', ['impersonate']),
  on('', `pods ${throughPods}`, writing),
  on('', 'pods/eviction', ['create']),
  on(
    '',
    'configmaps persistentvolumeclaims replicationcontrollers replicationcontrollers/scale secrets serviceaccounts services services/proxy',
    writing,
  ),
  on('', 'serviceaccounts/token', ['create']),
  on(['', 'events.k8s.io'], 'events', writing),
  on('apps', `${scalable} replicasets replicasets/scale statefulsets statefulsets/scale`, writing),
  on('autoscaling', 'horizontalpodautoscalers', writing),
  on('batch', 'cronjobs jobs', writing),
  on('extensions', `${scalable} ingresses networkpolicies ${oldScales}`, writing),
  on('policy', 'poddisruptionbudgets', writing),
  on('networking.k8s.io', 'ingresses networkpolicies', writing),
  on('coordination.k8s.io', 'leases', both),
  on('resource.k8s.io', 'resourceclaims resourceclaimtemplates', writing),
]

const seen = 'daemonsets daemonsets/status deployments deployments/scale deployments/status'
const replicas = 'replicasets replicasets/scale replicasets/status'

const viewing: readonly PolicyRule[] = [
  on(
    '',
    'configmaps endpoints persistentvolumeclaims persistentvolumeclaims/status pods replicationcontrollers replicationcontrollers/scale serviceaccounts services services/status',
    reading,
  ),
  on(
    '',
    'bindings limitranges namespaces/status pods/log pods/status replicationcontrollers/status resourcequotas resourcequotas/status',
    reading,
  ),
  on('', 'namespaces', reading),
  on(['', 'events.k8s.io'], 'events', reading),
  on('discovery.k8s.io', 'endpointslices', reading),
  on('apps', `controllerrevisions ${seen} ${replicas} statefulsets statefulsets/scale statefulsets/status`, reading),
  on('autoscaling', 'horizontalpodautoscalers horizontalpodautoscalers/status', reading),
  on('batch', 'cronjobs cronjobs/status jobs jobs/status', reading),
  on(
    'extensions',
    `${seen} ingresses ingresses/status networkpolicies ${replicas} replicationcontrollers/scale`,
    reading,
  ),
  on('policy', 'poddisruptionbudgets poddisruptionbudgets/status', reading),
  on('networking.k8s.io', 'ingresses ingresses/status networkpolicies', reading),
  on('resource.k8s.io', 'resourceclaims resourceclaims/status resourceclaimtemplates', reading),
]

const fluxGroups = [
  'source.toolkit.fluxcd.io',
  'source.extensions.fluxcd.io',
  'kustomize.toolkit.fluxcd.io',
  'helm.toolkit.fluxcd.io',
  'notification.toolkit.fluxcd.io',
  'image.toolkit.fluxcd.io',
  'fluxcd.controlplane.io',
]

const aggregateTo = (role: string) => `rbac.authorization.k8s.io/aggregate-to-${role}`

const metadata = (name: string, labels: Readonly<Record<string, string>> = {}) => ({
  name,
  labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults', ...labels },
  annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'true' },
})

const role = (name: string, rules: readonly PolicyRule[], ...aggregatedTo: readonly string[]): ClusterRole => ({
  apiVersion: `${rbacGroup}/v1`,
  kind: 'ClusterRole',
  metadata: metadata(name, Object.fromEntries(aggregatedTo.map(target => [aggregateTo(target), 'true']))),
  rules,
})

/** An aggregated role, which is itself aggregated to larger ones. */
const collection = (name: string, ...aggregatedTo: readonly string[]): ClusterRole => {
  const { rules, ...rest } = role(name, [], ...aggregatedTo)
  return {
    ...(rest as ClusterRole),
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [aggregateTo(name)]: 'true' } }] },
  }
}

const authentication = 'authentication.k8s.io'
const authorization = 'authorization.k8s.io'

export const defaultClusterRoles: readonly ClusterRole[] = [
  role('cluster-admin', [on('*', '*', ['*']), { nonResourceURLs: ['*'], verbs: ['*'] }]),
  collection('admin'),
  collection('edit', 'admin'),
  collection('view', 'edit'),
  role(
    'system:aggregate-to-admin',
    [on(authorization, 'localsubjectaccessreviews', ['create']), on(rbacGroup, 'rolebindings roles', both)],
    'admin',
  ),
  role('system:aggregate-to-edit', editing, 'edit'),
  role('system:aggregate-to-view', viewing, 'view'),
  role('system:discovery', [
    at('/api /api/* /apis /apis/* /healthz /livez /openapi /openapi/* /readyz /version /version/'),
  ]),
  role('system:basic-user', [
    on(authorization, 'selfsubjectaccessreviews selfsubjectrulesreviews', ['create']),
    on(authentication, 'selfsubjectreviews', ['create']),
  ]),
  role('system:public-info-viewer', [at('/healthz /livez /readyz /version /version/')]),
  role('system:monitoring', [
    at('/flagz /healthz /healthz/* /livez /livez/* /metrics /metrics/slis /readyz /readyz/* /statusz'),
    on('', 'nodes/metrics', ['get']),
  ]),
  role('system:service-account-issuer-discovery', [
    at('/.well-known/openid-configuration /.well-known/openid-configuration/ /openid/v1/jwks /openid/v1/jwks/'),
  ]),
  // Reports contain what their caller may list.
  role('keelson-fleet', [at('/fleet/*')]),
  role('keelson-receipt-keys', [at('/receipts/*')]),
  // As in Flux's own installation, so that editors and viewers of a namespace can use its Flux objects.
  role('flux-view', [{ apiGroups: fluxGroups, resources: ['*'], verbs: reading }], 'admin', 'edit', 'view'),
  role('flux-edit', [{ apiGroups: fluxGroups, resources: ['*'], verbs: writing }], 'admin', 'edit'),
  role('keelson-view', [{ apiGroups: [fleetGroup], resources: ['*'], verbs: reading }], 'admin', 'edit', 'view'),
  // Bound by an operator: an editor of units does not approve their changes.
  role('keelson-approver', [
    on(fleetGroup, 'plans approvals', reading),
    on(fleetGroup, 'approvals', ['create', 'delete']),
    on(fleetGroup, 'plans rolloutruns', ['approve']),
    on(fluxGroups, 'kustomizations helmreleases resourcesets', ['approve']),
  ]),
  role('keelson-edit', [{ apiGroups: [fleetGroup], resources: ['*'], verbs: writing }], 'admin', 'edit'),
]

const binding = (name: string, ...groups: readonly string[]): RoleBinding => ({
  apiVersion: `${rbacGroup}/v1`,
  kind: 'ClusterRoleBinding',
  metadata: metadata(name),
  roleRef: { apiGroup: rbacGroup, kind: 'ClusterRole', name },
  subjects: groups.map(group => ({ apiGroup: rbacGroup, kind: 'Group', name: group })),
})

export const defaultClusterRoleBindings: readonly RoleBinding[] = [
  binding('cluster-admin', 'system:masters'),
  binding('system:discovery', 'system:authenticated'),
  binding('system:basic-user', 'system:authenticated'),
  binding('system:public-info-viewer', 'system:authenticated', 'system:unauthenticated'),
  binding('keelson-fleet', 'system:authenticated'),
  binding('keelson-receipt-keys', 'system:authenticated'),
  binding('system:monitoring', 'system:monitoring'),
  binding('system:service-account-issuer-discovery', 'system:serviceaccounts'),
]
