import type { FluxInstance } from '../../foundations/kinds/flux-instance.ts'
import { syncKinds } from './sync-objects.ts'

/** Condition type of an instance with fields that have no effect on a hub. */
export const notApplicable = 'NotApplicable'

const noWorkloads = 'the hub installs nothing on a cluster'

const reasons: Readonly<Record<keyof FluxInstance['spec'] & string, string | undefined>> = {
  distribution: 'the hub is upgraded by its operator',
  components: 'the hub has all components',
  cluster: undefined,
  storage: 'artifacts are in the store of the hub',
  sharding: 'the hub divides its work itself',
  migrateResources: 'the hub stores objects in their latest API versions',
  wait: noWorkloads,
  commonMetadata: undefined,
  kustomize: undefined,
  sync: undefined,
}

const noDefault = 'the hub has no such default: name the ServiceAccount in the object'

const clusterReasons: Readonly<Record<string, string>> = {
  tenantDefaultDecryptionServiceAccount: noDefault,
  tenantDefaultKubeConfigServiceAccount: noDefault,
  multitenant: 'use the settings noCrossNamespaceRefs and defaultServiceAccount of the hub',
  objectLevelWorkloadIdentity: 'use the setting objectLevelWorkloadIdentity of the hub',
  multitenantWorkloadIdentity: 'use the setting objectLevelWorkloadIdentity of the hub',
  tenantDefaultServiceAccount: 'use the setting defaultServiceAccount of the hub',
}

/** The fields of an instance that have no effect on a hub, each as `<field>: <reason>`. */
export const fieldsNotApplicable = ({ spec }: FluxInstance): readonly string[] => [
  ...Object.entries(reasons).flatMap(([field, reason]) =>
    reason !== undefined && field in spec ? [`spec.${field}: ${reason}`] : [],
  ),
  ...Object.keys(spec.cluster ?? {}).map(field => `spec.cluster.${field}: ${clusterReasons[field] ?? noWorkloads}`),
  ...(spec.commonMetadata && !spec.sync
    ? ['spec.commonMetadata: there is no spec.sync whose objects would get it']
    : []),
  ...(spec.kustomize?.patches ?? []).flatMap(({ target }, i) => {
    const kind = target?.kind ?? ''
    if (syncKinds.includes(kind)) return []
    const which = kind ? `the hub has no ${kind} to patch` : 'it has no target.kind'
    return [`spec.kustomize.patches[${i}]: ${which}; patches apply to the objects of spec.sync`]
  }),
]
