import { CelError } from '../../engines/cel/cel-error.ts'
import { booleanExpression } from '../../engines/cel/expression.ts'
import type { HelmRelease, ReleaseDependency } from '../../foundations/kinds/helm-release.ts'
import type { ObjectRef } from '../../foundations/kinds/object.ts'
import { isConditionTrue } from '../../foundations/rules/conditions.ts'
import { actingAccount } from '../../hub/references/acting-account.ts'
import { hubReader, readDependency } from '../../hub/references/read-dependency.ts'
import type { Evaluations } from '../heavy-work/evaluations.ts'
import { Halt } from '../runtime/halt.ts'
import type { Pass } from '../runtime/reconciler.ts'
import type { Context } from './context.ts'
import type { Draft } from './draft.ts'
import { stalled, waiting } from './failure.ts'
import { namespaceOf } from './names.ts'

const group = 'helm.toolkit.fluxcd.io'

/** Halts until every dependency is ready (HR-018, HR-019). */
export const requireDependencies = async (
  draft: Draft,
  pass: Pass<HelmRelease>,
  context: Context,
  evaluations: Evaluations,
): Promise<void> => {
  for (const dependency of draft.release.spec.dependsOn ?? []) {
    const problem = await problemOf(draft, dependency, pass, context, evaluations)
    if (problem === undefined) continue
    draft.mark('Ready', 'False', 'DependencyNotReady', problem)
    pass.event({ severity: 'info', reason: 'DependencyNotReady', message: problem })
    throw new Halt<HelmRelease>(waiting(draft, context.settings.requeueDependencyMs))
  }
  draft.clearReady('DependencyNotReady')
}

const problemOf = async (
  draft: Draft,
  dependency: ReleaseDependency,
  { signal }: Pass<HelmRelease>,
  { hubCluster, settings }: Context,
  evaluations: Evaluations,
): Promise<string | undefined> => {
  const { release } = draft
  const namespace = dependency.namespace || namespaceOf(release)
  const name = `${namespace}/${dependency.name}`
  const ref: ObjectRef = { group, kind: 'HelmRelease', namespace, name: dependency.name }
  const reader = hubReader(release, actingAccount(release, settings), hubCluster)
  const reference = { apiVersion: `${group}/v2`, ref, hasExpression: dependency.readyExpr !== undefined }
  const { object, orForbidden } = await readDependency(reader, reference, { signal })
  if (!object)
    return `unable to get '${name}' dependency: helmreleases.${group} "${dependency.name}" not found${orForbidden}`
  const found = object as HelmRelease
  if (dependency.readyExpr) {
    const problem = await expressionProblem(draft, dependency.readyExpr, name, found, evaluations)
    if (problem) return problem
    if (!settings.additiveReadyCheck) return undefined
  }
  const { generation } = found.metadata
  const isReady = generation === found.status?.observedGeneration && isConditionTrue(found.status?.conditions, 'Ready')
  return isReady ? undefined : `dependency '${name}' is not ready`
}

const expressionProblem = async (
  draft: Draft,
  text: string,
  name: string,
  dep: HelmRelease,
  evaluations: Evaluations,
): Promise<string | undefined> => {
  try {
    const expression = booleanExpression(text, ['self', 'dep'])
    const isReady = await evaluations.evaluateBoolean(expression, { self: draft.release, dep })
    return isReady ? undefined : `dependency '${name}' is not ready according to readyExpr eval`
  } catch (error) {
    if (!(error instanceof CelError)) throw error
    if (error.stage === 'evaluation') return error.messageWithoutValues // the object is not the HelmRelease's own
    const message = `terminal error: failed to evaluate dependency ${dep.metadata.name}: ${error.message}`
    throw invalidExpression(draft, message)
  }
}

/** An expression is malformed: only another spec helps. */
export const invalidExpression = (draft: Draft, message: string): Halt<HelmRelease> => {
  const text = `Reconciliation failed terminally due to configuration error: ${message}`
  return stalled(draft, 'InvalidCELExpression', text, message)
}
