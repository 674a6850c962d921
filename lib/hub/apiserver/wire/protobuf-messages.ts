/**
 * The protobuf messages that typed Kubernetes clients (`kubectl create secret`, controller-runtime) send for its own kinds, by field number:
 * after the `generated.proto` files of k8s.io/api and k8s.io/apimachinery.
 */

export type FieldType =
  | 'text'
  /** Bytes that JSON holds as base64. */
  | 'bytes'
  /** Bytes that contain JSON. */
  | 'json'
  | 'integer'
  | 'flag'
  /** A point in time: RFC 3339, to the second or to the microsecond. */
  | 'time'
  | 'microTime'
  | { readonly map: 'text' | 'bytes' }
  | { readonly list: FieldType }
  | { readonly message: Message }

export type Message = ReadonlyMap<number, { readonly name: string; readonly type: FieldType }>

type Fields = Readonly<Record<number, readonly [name: string, type?: FieldType]>>

/** Fields are strings by default. */
const message = (fields: Fields): Message =>
  new Map(Object.entries(fields).map(([number, [name, type = 'text']]) => [Number(number), { name, type }]))

const texts: FieldType = { list: 'text' }
const one = (type: Message): FieldType => ({ message: type })
const many = (type: Message): FieldType => ({ list: { message: type } })

const ownerReference = message({
  1: ['kind'],
  3: ['name'],
  4: ['uid'],
  5: ['apiVersion'],
  6: ['controller', 'flag'],
  7: ['blockOwnerDeletion', 'flag'],
})

const managedFieldsEntry = message({
  1: ['manager'],
  2: ['operation'],
  3: ['apiVersion'],
  4: ['time', 'time'],
  6: ['fieldsType'],
  7: ['fieldsV1', 'json'],
  8: ['subresource'],
})

const metadata = one(
  message({
    1: ['name'],
    2: ['generateName'],
    3: ['namespace'],
    5: ['uid'],
    6: ['resourceVersion'],
    7: ['generation', 'integer'],
    8: ['creationTimestamp', 'time'],
    9: ['deletionTimestamp', 'time'],
    10: ['deletionGracePeriodSeconds', 'integer'],
    11: ['labels', { map: 'text' }],
    12: ['annotations', { map: 'text' }],
    13: ['ownerReferences', many(ownerReference)],
    14: ['finalizers', texts],
    17: ['managedFields', many(managedFieldsEntry)],
  }),
)

const objectReference = message({
  1: ['kind'],
  2: ['namespace'],
  3: ['name'],
  4: ['uid'],
  5: ['apiVersion'],
  6: ['resourceVersion'],
  7: ['fieldPath'],
})

const namespaceCondition = message({
  1: ['type'],
  2: ['status'],
  4: ['lastTransitionTime', 'time'],
  5: ['reason'],
  6: ['message'],
})

const policyRules = many(
  message({
    1: ['verbs', texts],
    2: ['apiGroups', texts],
    3: ['resources', texts],
    4: ['resourceNames', texts],
    5: ['nonResourceURLs', texts],
  }),
)

const labelSelector = message({
  1: ['matchLabels', { map: 'text' }],
  2: ['matchExpressions', many(message({ 1: ['key'], 2: ['operator'], 3: ['values', texts] }))],
})

const roleBinding = message({
  1: ['metadata', metadata],
  2: ['subjects', many(message({ 1: ['kind'], 2: ['apiGroup'], 3: ['name'], 4: ['namespace'] }))],
  3: ['roleRef', one(message({ 1: ['apiGroup'], 2: ['kind'], 3: ['name'] }))],
})

const resourceAttributes = message({
  1: ['namespace'],
  2: ['verb'],
  3: ['group'],
  4: ['version'],
  5: ['resource'],
  6: ['subresource'],
  7: ['name'],
})

const subjectAccessReview = message({
  1: ['metadata', metadata],
  2: [
    'spec',
    one(
      message({
        1: ['resourceAttributes', one(resourceAttributes)],
        2: ['nonResourceAttributes', one(message({ 1: ['path'], 2: ['verb'] }))],
        3: ['user'],
        4: ['groups', texts],
        6: ['uid'],
      }),
    ),
  ],
})

const boundObject = message({ 1: ['kind'], 2: ['apiVersion'], 3: ['name'], 4: ['uid'] })

/** By `apiVersion/kind`. */
export const messages: ReadonlyMap<string, Message> = new Map([
  [
    'v1/Secret',
    message({
      1: ['metadata', metadata],
      2: ['data', { map: 'bytes' }],
      3: ['type'],
      4: ['stringData', { map: 'text' }],
      5: ['immutable', 'flag'],
    }),
  ],
  [
    'v1/ConfigMap',
    message({
      1: ['metadata', metadata],
      2: ['data', { map: 'text' }],
      3: ['binaryData', { map: 'bytes' }],
      4: ['immutable', 'flag'],
    }),
  ],
  [
    'v1/Namespace',
    message({
      1: ['metadata', metadata],
      2: ['spec', one(message({ 1: ['finalizers', texts] }))],
      3: ['status', one(message({ 1: ['phase'], 2: ['conditions', many(namespaceCondition)] }))],
    }),
  ],
  [
    'v1/ServiceAccount',
    message({
      1: ['metadata', metadata],
      2: ['secrets', many(objectReference)],
      3: ['imagePullSecrets', many(message({ 1: ['name'] }))],
      4: ['automountServiceAccountToken', 'flag'],
    }),
  ],
  [
    'v1/Event',
    message({
      1: ['metadata', metadata],
      2: ['involvedObject', one(objectReference)],
      3: ['reason'],
      4: ['message'],
      5: ['source', one(message({ 1: ['component'], 2: ['host'] }))],
      6: ['firstTimestamp', 'time'],
      7: ['lastTimestamp', 'time'],
      8: ['count', 'integer'],
      9: ['type'],
      10: ['eventTime', 'microTime'],
      11: ['series', one(message({ 1: ['count', 'integer'], 2: ['lastObservedTime', 'microTime'] }))],
      12: ['action'],
      13: ['related', one(objectReference)],
      14: ['reportingComponent'],
      15: ['reportingInstance'],
    }),
  ],
  [
    'v1/DeleteOptions',
    message({
      1: ['gracePeriodSeconds', 'integer'],
      2: ['preconditions', one(message({ 1: ['uid'], 2: ['resourceVersion'] }))],
      3: ['orphanDependents', 'flag'],
      4: ['propagationPolicy'],
      5: ['dryRun', texts],
    }),
  ],
  ['rbac.authorization.k8s.io/v1/Role', message({ 1: ['metadata', metadata], 2: ['rules', policyRules] })],
  [
    'rbac.authorization.k8s.io/v1/ClusterRole',
    message({
      1: ['metadata', metadata],
      2: ['rules', policyRules],
      3: ['aggregationRule', one(message({ 1: ['clusterRoleSelectors', many(labelSelector)] }))],
    }),
  ],
  ['rbac.authorization.k8s.io/v1/RoleBinding', roleBinding],
  ['rbac.authorization.k8s.io/v1/ClusterRoleBinding', roleBinding],
  ['authentication.k8s.io/v1/SelfSubjectReview', message({ 1: ['metadata', metadata] })],
  [
    'authentication.k8s.io/v1/TokenRequest',
    message({
      1: ['metadata', metadata],
      2: [
        'spec',
        one(
          message({
            1: ['audiences', texts],
            3: ['boundObjectRef', one(boundObject)],
            4: ['expirationSeconds', 'integer'],
          }),
        ),
      ],
    }),
  ],
  [
    'authentication.k8s.io/v1/TokenReview',
    message({ 1: ['metadata', metadata], 2: ['spec', one(message({ 1: ['token'], 2: ['audiences', texts] }))] }),
  ],
  ['authorization.k8s.io/v1/SubjectAccessReview', subjectAccessReview],
  ['authorization.k8s.io/v1/LocalSubjectAccessReview', subjectAccessReview],
  [
    'authorization.k8s.io/v1/SelfSubjectAccessReview',
    message({
      1: ['metadata', metadata],
      2: [
        'spec',
        one(
          message({
            1: ['resourceAttributes', one(resourceAttributes)],
            2: ['nonResourceAttributes', one(message({ 1: ['path'], 2: ['verb'] }))],
          }),
        ),
      ],
    }),
  ],
  [
    'authorization.k8s.io/v1/SelfSubjectRulesReview',
    message({
      1: ['metadata', metadata],
      2: ['spec', one(message({ 1: ['namespace'] }))],
    }),
  ],
])
