import type { StoredRun } from '../../foundations/kinds/run.ts'
import type { Keys } from '../../platform/ports/keys.ts'
import type { RunPlace } from '../../platform/ports/runs.ts'
import { type RecordCodec, recordCodec } from '../records/record-codec.ts'

/** The content of runs is sealed, as it has parts of rendered manifests. */
export const runCodec = (keys: Keys): RecordCodec<RunPlace, StoredRun> =>
  recordCodec(keys, ({ namespace, name }) => `run/${namespace}/${name}`, dictionary)

/**
 * A compression dictionary, so that a run of a few changes takes a single write unit on AWS. Runs can only be read with the same bytes, so another
 * dictionary would need other item names.
 */
const dictionary = Buffer.from(
  [
    '"counts":{"created":1,"configured":1,"recreated":1,"deleted":1,"unchanged":1,"skipped":1},"moreChanges":1,"moreFields":1,"requestedAt":"2026-11-27T12:00:00Z","user":"system:serviceaccount:',
    '"errors":[{"object":"Deployment/default/","file":"","field":"","message":"dry-run failed (Invalid): "}],"reason":"DependencyNotReady","reason":"BuildFailed","message":"kustomize build failed: ',
    '"result":"Stalled","result":"Progressing","result":"Deleted","result":"Failed","reason":"HealthCheckFailed","reason":"ClusterUnreachable","reason":"PruneFailed","reason":"ReconciliationFailed"',
    '"cause":{"type":"Request"},"cause":{"type":"Retry"},"cause":{"type":"Drift"},"cause":{"type":"Spec"},"apiVersion":"helm.toolkit.fluxcd.io/v2","kind":"HelmRelease","action":"recreated"',
    '"action":"deleted"},{"apiVersion":"v1","kind":"ServiceAccount","kind":"Service","kind":"Secret","fields":[{"path":"data.password","before":"***","after":"***"}],{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"RoleBinding"',
    '{"apiVersion":"networking.k8s.io/v1","kind":"Ingress","namespace":"default","name":"","action":"created","origin":"deploy/ingress.yaml"},',
    '{"unit":{"apiVersion":"kustomize.toolkit.fluxcd.io/v1","kind":"Kustomization","name":"apps","uid":"',
    '"},"cluster":{"kind":"Secret","namespace":"flux-system","name":"kubeconfig"},"cause":{"type":"Source"},"revision":"main@sha1:","previousRevision":"main@sha1:',
    '","phases":[{"name":"Fetch","durationMs":1},{"name":"Build","durationMs":1},{"name":"Apply","durationMs":1},{"name":"Prune","durationMs":1},{"name":"Health","durationMs":1}],',
    '"counts":{"configured":1,"unchanged":1},"changes":[{"apiVersion":"v1","kind":"ConfigMap","namespace":"default","name":"","action":"configured"},{"apiVersion":"apps/v1","kind":"Deployment","namespace":"default","name":"app","action":"configured","origin":"deploy/app.yaml, overlay clusters/prod","fields":[{"path":"spec.template.spec.containers[name=app].image","before":"ghcr.io/","after":"ghcr.io/"},{"path":"spec.replicas","before":"1","after":"2"}]}],',
    '"result":"Succeeded","reason":"ReconciliationSucceeded","message":"Applied revision: main@sha1:","startedAt":"2026-11-27T12:00:00.000Z","finishedAt":"2026-11-27T12:00:00.000Z"}',
  ].join(''),
)
