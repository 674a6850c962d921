import { type FieldSpec, fieldSpec } from './field-spec.ts'
import { compareGvk, type Gvk } from './resource-id.ts'

/** Fields in which objects of other kinds refer to a kind by name. */
export interface NameReference extends Gvk {
  readonly referrers: readonly FieldSpec[]
}

/** The fields that each transformer works on. */
export interface FieldSpecs {
  readonly namePrefix: readonly FieldSpec[]
  readonly nameSuffix: readonly FieldSpec[]
  readonly namespace: readonly FieldSpec[]
  readonly commonLabels: readonly FieldSpec[]
  readonly labels: readonly FieldSpec[]
  readonly templateLabels: readonly FieldSpec[]
  readonly volumeClaimTemplateLabels: readonly FieldSpec[]
  readonly commonAnnotations: readonly FieldSpec[]
  readonly nameReference: readonly NameReference[]
  readonly varReference: readonly FieldSpec[]
  readonly images: readonly FieldSpec[]
  readonly replicas: readonly FieldSpec[]
}

export const NO_FIELD_SPECS: FieldSpecs = {
  namePrefix: [],
  nameSuffix: [],
  namespace: [],
  commonLabels: [],
  labels: [],
  templateLabels: [],
  volumeClaimTemplateLabels: [],
  commonAnnotations: [],
  nameReference: [],
  varReference: [],
  images: [],
  replicas: [],
}

const CORE: Partial<Gvk> = { version: 'v1' }
const kind = (name: string, group = '', version = ''): Gvk => ({ group, version, kind: name })

/** Kinds with a pod template, and its path. */
const POD = 'spec'
const TEMPLATE = 'spec/template/spec'
const JOB_TEMPLATE = 'spec/jobTemplate/spec/template/spec'
const RBAC = 'rbac.authorization.k8s.io'

const create = (path: string, gvk: Partial<Gvk> = {}): FieldSpec => fieldSpec(path, gvk, true)

const metadataOfTemplates = (field: string): FieldSpec[] => {
  const statefulSet = kind('StatefulSet', field === 'labels' ? 'apps' : '')
  return [
    create(`metadata/${field}`),
    create(`spec/template/metadata/${field}`, { ...CORE, kind: 'ReplicationController' }),
    create(`spec/template/metadata/${field}`, kind('Deployment')),
    create(`spec/template/metadata/${field}`, kind('ReplicaSet')),
    create(`spec/template/metadata/${field}`, kind('DaemonSet')),
    create(`spec/template/metadata/${field}`, statefulSet),
    create(`spec/template/metadata/${field}`, kind('Job', 'batch')),
    create(`spec/jobTemplate/metadata/${field}`, kind('CronJob', 'batch')),
    create(`spec/jobTemplate/spec/template/metadata/${field}`, kind('CronJob', 'batch')),
  ]
}

const volumeClaimTemplateLabels = [create('spec/volumeClaimTemplates[]/metadata/labels', kind('StatefulSet', 'apps'))]

const SCHEDULING = [
  'affinity/podAffinity/preferredDuringSchedulingIgnoredDuringExecution/podAffinityTerm/labelSelector/matchLabels',
  'affinity/podAffinity/requiredDuringSchedulingIgnoredDuringExecution/labelSelector/matchLabels',
  'affinity/podAntiAffinity/preferredDuringSchedulingIgnoredDuringExecution/podAffinityTerm/labelSelector/matchLabels',
  'affinity/podAntiAffinity/requiredDuringSchedulingIgnoredDuringExecution/labelSelector/matchLabels',
  'topologySpreadConstraints/labelSelector/matchLabels',
]

const schedulingLabels = (gvk: Gvk): FieldSpec[] => SCHEDULING.map(path => fieldSpec(`${TEMPLATE}/${path}`, gvk))

const commonLabels = [
  create('spec/selector', { ...CORE, kind: 'Service' }),
  create('spec/selector', { ...CORE, kind: 'ReplicationController' }),
  create('spec/selector/matchLabels', kind('Deployment')),
  ...schedulingLabels(kind('Deployment', 'apps')),
  create('spec/selector/matchLabels', kind('ReplicaSet')),
  create('spec/selector/matchLabels', kind('DaemonSet')),
  create('spec/selector/matchLabels', kind('StatefulSet', 'apps')),
  ...schedulingLabels(kind('StatefulSet', 'apps')),
  fieldSpec('spec/selector/matchLabels', kind('Job', 'batch')),
  fieldSpec('spec/jobTemplate/spec/selector/matchLabels', kind('CronJob', 'batch')),
  fieldSpec('spec/selector/matchLabels', kind('PodDisruptionBudget', 'policy')),
  fieldSpec('spec/podSelector/matchLabels', kind('NetworkPolicy', 'networking.k8s.io')),
  fieldSpec('spec/ingress/from/podSelector/matchLabels', kind('NetworkPolicy', 'networking.k8s.io')),
  fieldSpec('spec/egress/to/podSelector/matchLabels', kind('NetworkPolicy', 'networking.k8s.io')),
  ...metadataOfTemplates('labels'),
  ...volumeClaimTemplateLabels,
]

const refer = (target: Partial<Gvk> & Pick<Gvk, 'kind'>, referrers: readonly FieldSpec[]): NameReference => ({
  group: target.group ?? '',
  version: target.version ?? '',
  kind: target.kind,
  referrers,
})

const at = (kinds: readonly (string | Partial<Gvk>)[], ...paths: readonly string[]): FieldSpec[] =>
  kinds.flatMap(name => paths.map(path => fieldSpec(path, typeof name === 'string' ? { kind: name } : name)))

/** Paths inside pod specs, for every kind that has one. */
const inPods = (kinds: Readonly<Record<string, readonly (string | Partial<Gvk>)[]>>, ...paths: string[]): FieldSpec[] =>
  Object.entries(kinds).flatMap(([prefix, names]) => at(names, ...paths.map(path => `${prefix}/${path}`)))

const CONFIG_USERS = {
  [POD]: [{ ...CORE, kind: 'Pod' }],
  'template/spec': ['PodTemplate'],
  [TEMPLATE]: ['Deployment', 'ReplicaSet', 'DaemonSet', 'StatefulSet', 'Job'],
  [JOB_TEMPLATE]: ['CronJob'],
}

const WORKLOADS = {
  [POD]: ['Pod'],
  [TEMPLATE]: ['StatefulSet', 'Deployment', 'ReplicationController', 'Job', 'DaemonSet'],
  [JOB_TEMPLATE]: ['CronJob'],
}

const SCALED = ['Deployment', 'ReplicationController', 'ReplicaSet', 'StatefulSet']

const nameReference: NameReference[] = [
  ...SCALED.map(name => refer({ kind: name }, at(['HorizontalPodAutoscaler'], 'spec/scaleTargetRef/name'))),
  refer({ ...CORE, kind: 'ConfigMap' }, [
    ...inPods(
      CONFIG_USERS,
      'volumes/configMap/name',
      'containers/env/valueFrom/configMapKeyRef/name',
      'initContainers/env/valueFrom/configMapKeyRef/name',
      'containers/envFrom/configMapRef/name',
      'initContainers/envFrom/configMapRef/name',
      'volumes/projected/sources/configMap/name',
    ),
    ...at(['Node'], 'spec/configSource/configMap'),
    ...at(['Role', 'ClusterRole'], 'rules/resourceNames'),
    ...at(['Ingress'], 'metadata/annotations/nginx.ingress.kubernetes.io\\/fastcgi-params-configmap'),
  ]),
  refer({ ...CORE, kind: 'Secret' }, [
    ...inPods(
      CONFIG_USERS,
      'volumes/secret/secretName',
      'containers/env/valueFrom/secretKeyRef/name',
      'initContainers/env/valueFrom/secretKeyRef/name',
      'containers/envFrom/secretRef/name',
      'initContainers/envFrom/secretRef/name',
      'imagePullSecrets/name',
      'volumes/projected/sources/secret/name',
    ),
    ...at(
      ['Ingress'],
      'spec/tls/secretName',
      'metadata/annotations/ingress.kubernetes.io\\/auth-secret',
      'metadata/annotations/nginx.ingress.kubernetes.io\\/auth-secret',
      'metadata/annotations/nginx.ingress.kubernetes.io\\/auth-tls-secret',
    ),
    ...at(['ServiceAccount'], 'imagePullSecrets/name'),
    ...at(
      ['StorageClass'],
      'parameters/secretName',
      'parameters/adminSecretName',
      'parameters/userSecretName',
      'parameters/secretRef',
    ),
    ...at(['Role', 'ClusterRole'], 'rules/resourceNames'),
    ...at([kind('Service', 'serving.knative.dev', 'v1')], `${TEMPLATE}/containers/env/valueFrom/secretKeyRef/name`),
    ...at(['PersistentVolume'], 'spec/azureFile/secretName'),
  ]),
  refer({ ...CORE, kind: 'Service' }, [
    ...at([kind('StatefulSet', 'apps')], 'spec/serviceName'),
    ...at(
      ['Ingress'],
      'spec/rules/http/paths/backend/serviceName',
      'spec/backend/serviceName',
      'spec/rules/http/paths/backend/service/name',
      'spec/defaultBackend/service/name',
    ),
    ...at([kind('APIService', 'apiregistration.k8s.io')], 'spec/service/name'),
    ...at(
      ['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration'].map(name =>
        kind(name, 'admissionregistration.k8s.io'),
      ),
      'webhooks/clientConfig/service',
    ),
  ]),
  refer(kind('Role', RBAC), at([kind('RoleBinding', RBAC)], 'roleRef/name')),
  refer(kind('ClusterRole', RBAC), at([kind('RoleBinding', RBAC), kind('ClusterRoleBinding', RBAC)], 'roleRef/name')),
  refer({ ...CORE, kind: 'ServiceAccount' }, [
    ...at([kind('RoleBinding', RBAC), kind('ClusterRoleBinding', RBAC)], 'subjects'),
    ...inPods(WORKLOADS, 'serviceAccountName'),
  ]),
  refer({ ...CORE, kind: 'PersistentVolumeClaim' }, inPods(WORKLOADS, 'volumes/persistentVolumeClaim/claimName')),
  refer({ ...CORE, kind: 'PersistentVolume' }, [
    ...at(['PersistentVolumeClaim'], 'spec/volumeName'),
    ...at(['ClusterRole'], 'rules/resourceNames'),
  ]),
  refer(kind('StorageClass', 'storage.k8s.io', 'v1'), [
    ...at(['PersistentVolume', 'PersistentVolumeClaim'], 'spec/storageClassName'),
    ...at(['StatefulSet'], 'spec/volumeClaimTemplates/spec/storageClassName'),
  ]),
  refer(kind('PriorityClass', 'scheduling.k8s.io', 'v1'), inPods(WORKLOADS, 'priorityClassName')),
  // The group is kustomize's: it never matches, so names of ingress classes are not updated.
  refer(kind('IngressClass', 'networking.k8s.io/v1', 'v1'), at(['Ingress'], 'spec/ingressClassName')),
  refer(
    kind('ValidatingAdmissionPolicy', 'admissionregistration.k8s.io'),
    at([kind('ValidatingAdmissionPolicyBinding', 'admissionregistration.k8s.io')], 'spec/policyName'),
  ),
]

const VAR_FIELDS = ['containers', 'initContainers'].flatMap(list =>
  ['args', 'command', 'env/value', 'volumeMounts/mountPath'].map(field => `${list}/${field}`),
)

const varReference = [
  ...inPods({ [JOB_TEMPLATE]: ['CronJob'] }, ...VAR_FIELDS),
  ...at(['CronJob'], 'spec/jobTemplate/spec/template/volumes/nfs/server'),
  ...inPods({ [TEMPLATE]: ['DaemonSet', 'Deployment', 'Job', 'ReplicaSet', 'StatefulSet'] }, ...VAR_FIELDS),
  ...inPods({ [TEMPLATE]: ['DaemonSet', 'Deployment', 'Job', 'ReplicaSet'] }, 'volumes/nfs/server'),
  ...at(['Deployment'], 'spec/template/metadata/annotations'),
  ...at(['Ingress'], 'spec/rules/host', 'spec/tls/hosts', 'spec/tls/secretName'),
  ...inPods({ [POD]: ['Pod'] }, ...VAR_FIELDS, 'volumes/nfs/server'),
  ...at(['Service'], 'spec/ports/port', 'spec/ports/targetPort'),
  ...at(['StatefulSet'], 'spec/volumeClaimTemplates/spec/nfs/server'),
  ...at(['PersistentVolume'], 'spec/nfs/server'),
  fieldSpec('metadata/labels'),
  fieldSpec('metadata/annotations'),
]

const IMAGES = ['spec/', 'spec/template/spec/'].flatMap(prefix => [
  create(`${prefix}containers[]/image`),
  create(`${prefix}initContainers[]/image`),
  create(`${prefix}volumes[]/image/reference`),
])

const sorted = <T extends Gvk>(specs: readonly T[]): T[] => [...specs].sort(compareGvk)

/** kustomize v5's built-in field specs. */
export const DEFAULT_FIELD_SPECS: FieldSpecs = {
  namePrefix: [fieldSpec('metadata/name')],
  nameSuffix: [fieldSpec('metadata/name')],
  namespace: sorted([
    create('metadata/name', kind('Namespace')),
    create('spec/service/namespace', kind('APIService', 'apiregistration.k8s.io')),
    fieldSpec(
      'spec/conversion/webhook/clientConfig/service/namespace',
      kind('CustomResourceDefinition', 'apiextensions.k8s.io'),
    ),
  ]),
  commonLabels: sorted(commonLabels),
  labels: [],
  templateLabels: sorted(metadataOfTemplates('labels')),
  volumeClaimTemplateLabels,
  commonAnnotations: sorted(metadataOfTemplates('annotations')),
  nameReference: sorted(nameReference).map(({ referrers, ...target }) => ({ ...target, referrers: [...referrers] })),
  varReference: sorted(varReference),
  images: [...IMAGES, create('spec/jobTemplate/spec/template/spec/volumes[]/image/reference')],
  replicas: sorted(SCALED.map(name => create('spec/replicas', { kind: name }))),
}
