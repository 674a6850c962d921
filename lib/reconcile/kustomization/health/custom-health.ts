import { CelError } from '../../../engines/cel/cel-error.ts'
import type { HealthEvaluator, HealthExpressions } from '../../../engines/cel/health-expressions.ts'
import { healthEvaluator } from '../../../engines/cel/health-expressions.ts'
import type { KStatus } from '../../../engines/kstatus/result.ts'
import type { Kustomization } from '../../../foundations/kinds/kustomization.ts'
import type { KubernetesObject } from '../../../foundations/kinds/object.ts'
import { describeKind, groupOf } from '../../../foundations/kinds/object.ts'
import type { Evaluations } from '../../heavy-work/evaluations.ts'
import { invalidExpression } from '../failure.ts'

/** The health of an object by spec.healthCheckExprs; undefined for kinds without an entry. */
export type CustomHealth = (object: KubernetesObject) => Promise<KStatus | undefined>

/**
 * Compiles spec.healthCheckExprs: entries match by group, in any version, and one with a kind wins over one without (KS-112, KS-113).
 * Throws `invalid` if an entry is malformed or duplicated. The caller handles evaluation errors, see `checkHealth`.
 */
export const customHealth = (
  { spec }: { readonly spec: Pick<Kustomization['spec'], 'healthCheckExprs'> },
  evaluations: Evaluations,
  invalid: (message: string) => Error = invalidExpression,
): CustomHealth => {
  const evaluators = new Map<string, { readonly evaluator: HealthEvaluator; readonly expressions: HealthExpressions }>()
  for (const [at, { apiVersion, kind = '', ...expressions }] of (spec.healthCheckExprs ?? []).entries()) {
    const group = groupOf(apiVersion)
    const place = `healthchecks[${at}]`
    if (evaluators.has(`${group}/${kind}`)) {
      throw invalid(`duplicate custom health check for GroupKind ${describeKind({ group, kind })} at ${place}`)
    }
    try {
      evaluators.set(`${group}/${kind}`, { evaluator: healthEvaluator(expressions), expressions })
    } catch (error) {
      if (!(error instanceof CelError)) throw error
      throw invalid(`failed to create custom status evaluator for ${place}: ${error.message}`)
    }
  }
  return async object => {
    const group = groupOf(object.apiVersion)
    const found = evaluators.get(`${group}/${object.kind}`) ?? evaluators.get(`${group}/`)
    if (!found) return undefined
    const status = await evaluations.judgeHealth(found.evaluator, found.expressions, { ...object })
    return { status, message: '', conditions: [] }
  }
}
