/**
 * Content that most objects of a hub share, in the form of items: zstd refers to it instead of repeating it, so that most objects fit into the 1 KB
 * of a single write unit. Compressed states can only be read with the same bytes: another dictionary means another table format (table-format.ts).
 */
export const stateDictionary = (): Buffer =>
  Buffer.from(samples.map(({ refersTo, ...body }) => asStored(body, refersTo)).join(''))

/** See `State`: the body is JSON within JSON. */
const asStored = (body: object, refersTo: readonly string[]): string =>
  JSON.stringify({ body: JSON.stringify(body), refersTo })

const time = '2026-11-26T04:07:32Z'
const kustomize = 'kustomize.toolkit.fluxcd.io'
const source = 'source.toolkit.fluxcd.io'

const metadata = { name: '', namespace: 'flux-system', uid: '', creationTimestamp: time }

const managed = (manager: string, operation: string, apiVersion: string, fieldsV1: object) => ({
  ...{ manager, operation, apiVersion, time, fieldsType: 'FieldsV1', fieldsV1 },
})

const finalizing = (manager: string, apiVersion: string) =>
  managed(manager, 'Update', apiVersion, {
    'f:metadata': { 'f:finalizers': { '.': {}, 'v:"finalizers.fluxcd.io"': {} } },
  })

const succeeded = (type: string, reason: string, message: string) => ({
  ...{ type, status: 'True', reason, message, lastTransitionTime: time, observedGeneration: 1 },
})

/** The most frequent sample is last: zstd refers to it by shorter distances. */
const samples = [
  {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      ...metadata,
      labels: { 'app.kubernetes.io/name': '', 'toolkit.fluxcd.io/tenant': '' },
      managedFields: [managed('kubectl', 'Apply', 'v1', { 'f:data': { '.': {} }, 'f:type': {} })],
    },
    data: {},
    type: 'Opaque',
    refersTo: [],
  },
  {
    metadata: { ...metadata, generateName: '' },
    involvedObject: { kind: 'Kustomization', namespace: '', name: '', uid: '', apiVersion: `${kustomize}/v1` },
    reason: 'ReconciliationSucceeded',
    message: 'Reconciliation finished in 1s, next run in 10m0s',
    source: { component: 'kustomize-controller' },
    firstTimestamp: time,
    lastTimestamp: time,
    count: 1,
    type: 'Normal',
    eventTime: null,
    reportingComponent: 'kustomize-controller',
    reportingInstance: '',
    refersTo: [],
  },
  {
    apiVersion: `${source}/v1`,
    kind: 'GitRepository',
    metadata: {
      ...metadata,
      managedFields: [
        managed('source-controller', 'Update', `${source}/v1`, { 'f:status': { 'f:artifact': {} } }),
        finalizing('source-controller', `${source}/v1`),
      ],
    },
    spec: { interval: '1m', url: 'https://', ref: { branch: 'main' }, timeout: '60s' },
    status: {
      conditions: [succeeded('ArtifactInStorage', 'Succeeded', "stored artifact for revision 'main@sha1:")],
      artifact: { path: 'gitrepository/', url: '', revision: '', digest: 'sha256:', lastUpdateTime: time, size: 1 },
    },
    refersTo: [],
  },
  {
    apiVersion: `${kustomize}/v1`,
    kind: 'Kustomization',
    metadata: {
      ...metadata,
      generation: 1,
      finalizers: ['finalizers.fluxcd.io'],
      annotations: { 'reconcile.fluxcd.io/requestedAt': time },
      managedFields: [
        finalizing('gotk-kustomize-controller', `${kustomize}/v1`),
        managed('kubectl', 'Apply', `${kustomize}/v1`, {
          'f:spec': {
            ...{ '.': {}, 'f:force': {}, 'f:interval': {} },
            'f:kubeConfig': { '.': {}, 'f:secretRef': { '.': {}, 'f:name': {} } },
            ...{ 'f:path': {}, 'f:prune': {} },
            'f:sourceRef': { '.': {}, 'f:kind': {}, 'f:name': {} },
            'f:targetNamespace': {},
          },
        }),
        {
          ...managed('gotk-kustomize-controller', 'Update', `${kustomize}/v1`, {
            'f:status': {
              ...{ 'f:conditions': {}, 'f:history': {}, 'f:inventory': { '.': {}, 'f:entries': {} } },
              ...{ 'f:lastAppliedRevision': {}, 'f:lastAttemptedRevision': {}, 'f:observedGeneration': {} },
            },
          }),
          subresource: 'status',
        },
      ],
    },
    spec: {
      ...{ interval: '10m', prune: true, path: './', targetNamespace: '' },
      sourceRef: { kind: 'GitRepository', name: 'flux-system' },
      kubeConfig: { secretRef: { name: '' } },
      ...{ force: false, wait: true, timeout: '5m', dependsOn: [{ name: '' }] },
    },
    status: {
      observedGeneration: 1,
      conditions: [succeeded('Ready', 'ReconciliationSucceeded', 'Applied revision: main@sha1:')],
      lastAttemptedRevision: 'main@sha1:',
      inventory: {
        entries: [
          { id: '_ServiceAccount', v: 'v1' },
          { id: '_apps_Deployment', v: 'v1' },
        ],
      },
      history: [
        {
          ...{ digest: 'sha256:', firstReconciled: time, lastReconciled: time, lastReconciledDuration: '73ms' },
          ...{ lastReconciledStatus: 'ReconciliationSucceeded', totalReconciliations: 1 },
          metadata: { revision: 'main@sha1:' },
        },
      ],
      lastAppliedRevision: 'main@sha1:',
    },
    refersTo: [`${source}|GitRepository|flux-system|`, '|Secret|flux-system|'],
  },
]
