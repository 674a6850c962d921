import { compareText } from '../go/compare-text.ts'
import { groupOf, type KubernetesObject, type ObjectRef, refOf } from '../kinds/object.ts'

/** Kinds that others depend on, in Flux's order (KS-273); all other kinds come after these, by name. */
const FIRST = [
  'CustomResourceDefinition',
  'Namespace',
  'ClusterRole',
  'ClusterClass',
  'RuntimeClass',
  'PriorityClass',
  'StorageClass',
  'VolumeSnapshotClass',
  'IngressClass',
  'GatewayClass',
  'ClusterRoleBinding',
  'ResourceQuota',
  'ServiceAccount',
  'Role',
  'RoleBinding',
  'ConfigMap',
  'Secret',
  'Service',
  'LimitRange',
  'Deployment',
  'StatefulSet',
  'CronJob',
  'PodDisruptionBudget',
]

/** Webhooks act on what is applied after them, and may depend on what is applied before them. */
const LAST = ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration']

const ranks = new Map<string, number>([
  ...FIRST.map((kind, index): [string, number] => [kind, index - FIRST.length]),
  ...LAST.map((kind, index): [string, number] => [kind, index + 1]),
])

/** Negative if `a` is applied before `b`. A total order: kind, group, namespace, name. Deletion uses the reverse order. */
export const compareApplyOrder = (a: ObjectRef, b: ObjectRef): number =>
  (ranks.get(a.kind) ?? 0) - (ranks.get(b.kind) ?? 0) ||
  compareText(a.group, b.group) ||
  compareText(a.kind, b.kind) ||
  compareText(a.namespace, b.namespace) ||
  compareText(a.name, b.name)

/**
 * Groups the objects into the stages in which they are applied, each stage sorted, without empty ones: cluster definitions (which must be
 * ready before anything else), classes (ready too), the kinds of the custom stage, and the rest.
 */
export const applyStages = <T extends KubernetesObject>(
  objects: readonly T[],
  isCustomStage: (ref: { readonly group: string; readonly kind: string }) => boolean = () => false,
): readonly ApplyStage<T>[] => {
  const stages: Record<Stage, T[]> = { definitions: [], classes: [], custom: [], rest: [] }
  for (const object of objects) stages[stageOf(object, isCustomStage)].push(object)
  return (['definitions', 'classes', 'custom', 'rest'] as const)
    .filter(stage => stages[stage].length > 0)
    .map(stage => ({
      stage,
      mustBeReady: stage === 'definitions' || stage === 'classes',
      objects: stages[stage].sort((a, b) => compareApplyOrder(refOf(a), refOf(b))),
    }))
}

type Stage = 'definitions' | 'classes' | 'custom' | 'rest'

export interface ApplyStage<T> {
  readonly stage: Stage
  /** The next stage must not start before these are ready (KS-274). */
  readonly mustBeReady: boolean
  readonly objects: readonly T[]
}

const stageOf = (
  { apiVersion, kind }: KubernetesObject,
  isCustomStage: (ref: { readonly group: string; readonly kind: string }) => boolean,
): Stage => {
  const group = groupOf(apiVersion)
  if (definitions.has(`${group}/${kind}`)) return 'definitions'
  if (kind.endsWith('Class')) return 'classes'
  return isCustomStage({ group, kind }) ? 'custom' : 'rest'
}

const definitions = new Set([
  'apiextensions.k8s.io/CustomResourceDefinition',
  '/Namespace',
  'rbac.authorization.k8s.io/ClusterRole',
])
