import { healthOf } from '../../clusters/apply/health.ts'
import { ClusterError } from '../../clusters/client/client.ts'
import { CelError } from '../../engines/cel/cel-error.ts'
import { type Expression, expression } from '../../engines/cel/expression.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { groupOf } from '../../foundations/kinds/object.ts'
import type { ResourceSet, ResourceSetDependency } from '../../foundations/kinds/resource-set.ts'
import { conditionOf } from '../../foundations/rules/conditions.ts'
import { readDependency } from '../../hub/references/read-dependency.ts'
import { namespaceOf } from '../../hub/references/references.ts'
import { type Evaluations, evaluationsOf } from '../heavy-work/evaluations.ts'
import type { Pass } from '../runtime/reconciler.ts'
import type { Context } from './context.ts'
import { failure, stall } from './failure.ts'
import { judgeOperatorKind } from './health.ts'
import type { Target } from './target-cluster.ts'

/**
 * Halts until every dependency exists, and is ready if required. A malformed expression stalls the ResourceSet, before
 * any dependency is read.
 */
export const requireDependencies = async (
  set: ResourceSet,
  pass: Pass<ResourceSet>,
  target: Target,
  context: Context,
): Promise<void> => {
  const { clock, settings } = context
  const evaluations = evaluationsOf(set, pass, context)
  const dependencies = (set.spec.dependsOn ?? []).map(dependency => ({ dependency, isReady: parse(dependency) }))
  for (const { dependency, isReady } of dependencies) {
    const problem = await problemWith(set, dependency, isReady, target, clock.now(), evaluations, pass.signal)
    if (problem === undefined) continue
    const message = `Retrying dependency check: ${problem}`
    const isKnown = conditionOf(set.status?.conditions, 'Ready')?.message === message
    const event = { severity: 'info', reason: 'DependencyNotReady', message } as const
    throw failure('DependencyNotReady', message, {
      afterMs: settings.requeueDependencyMs,
      isWait: true,
      event: isKnown ? null : event, // one event, not one every few seconds (RS-090)
    })
  }
}

const parse = (dependency: ResourceSetDependency): Expression | undefined => {
  const { readyExpr } = dependency
  if (!readyExpr) return undefined
  try {
    return expression(readyExpr)
  } catch (error) {
    if (!(error instanceof CelError)) throw error
    const message = `Reconciliation failed terminally due to configuration error: failed to parse expression for dependency ${nameOf(dependency)}: ${error.message}`
    throw stall('InvalidCELExpression', message)
  }
}

const problemWith = async (
  set: ResourceSet,
  dependency: ResourceSetDependency,
  isReady: Expression | undefined,
  { observed, cluster, account, isHub }: Target,
  now: number,
  evaluations: Evaluations,
  signal: AbortSignal,
): Promise<string | undefined> => {
  const { apiVersion, kind, name, ready, readyExpr } = dependency
  const ref = { group: groupOf(apiVersion), kind, namespace: dependency.namespace ?? '', name }
  const problem = (what: string) => `dependency ${nameOf(dependency)} ${what}`
  try {
    const namespace = isHub ? namespaceOf(set) : undefined
    const reader = { namespace, account, asHub: observed, asAccount: cluster }
    const hasExpression = isReady !== undefined
    const { object, orForbidden } = await readDependency(reader, { apiVersion, ref, hasExpression }, { signal })
    if (!object) return problem(`not found: ${await notFound(observed, dependency, signal)}${orForbidden}`)
    if (!ready) return undefined // without `ready`, the expression is not evaluated (as recorded)
    const { status } = await healthOf(object, ref, { now, judge: judgeOperatorKind(now) })
    if (status !== 'Current') return problem(`not ready: status ${status}`)
    const isMet = !isReady || (await evaluations.evaluateBoolean(isReady, visible(object, set)))
    return isMet ? undefined : problem(`not ready: expression '${readyExpr}'`)
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof CelError) return error.messageWithoutValues // the object has another owner
    if (error instanceof ClusterError) return problem(`not found: ${error.message}`)
    throw error
  }
}

const nameOf = ({ apiVersion, kind, namespace, name }: ResourceSetDependency): string =>
  [apiVersion, kind, ...(namespace ? [namespace] : []), name].join('/')

/** The wording of an API server. */
const notFound = async (
  cluster: Target['observed'],
  { apiVersion, kind, name }: ResourceSetDependency,
  signal: AbortSignal,
): Promise<string> => {
  const { plural, group } = await cluster.resourceFor(apiVersion, kind, { signal })
  return `${group ? `${plural}.${group}` : plural} "${name}" not found`
}

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration'

/** What an expression may see: no copy of the object in an annotation, no Secrets of other namespaces (RS-091). */
const visible = (object: KubernetesObject, set: ResourceSet): Readonly<Record<string, unknown>> => {
  const { [lastApplied]: _, ...annotations } = object.metadata.annotations ?? {}
  const { data, ...rest } = object
  const isForeign = object.kind === 'Secret' && object.metadata.namespace !== set.metadata.namespace
  return {
    ...rest,
    ...(data !== undefined && !isForeign && { data }),
    metadata: { ...object.metadata, ...(object.metadata.annotations && { annotations }) },
  }
}
