import { CelError } from '../../../cel/cel-error.ts'
import type { HealthEvaluator } from '../../../cel/health-expressions.ts'
import { healthEvaluator } from '../../../cel/health-expressions.ts'
import type { Kustomization } from '../../../kinds/kustomization.ts'
import type { KubernetesObject } from '../../../kinds/object.ts'
import { describeKind, groupOf } from '../../../kinds/object.ts'
import type { KStatus } from '../../../kstatus/result.ts'
import { invalidExpression } from '../failure.ts'

/** The health of an object by spec.healthCheckExprs; undefined for kinds that they do not speak of. */
export type CustomHealth = (object: KubernetesObject) => KStatus | undefined

/**
 * Compiles spec.healthCheckExprs: by group, whatever the version, an entry with a kind before one without (KS-112, KS-113).
 * Halts for good when one is malformed or said twice. Errors of an evaluation are the judge's, see `checkHealth`.
 */
export const customHealth = ({ spec }: Kustomization): CustomHealth => {
  const evaluators = new Map<string, HealthEvaluator>()
  for (const [at, { apiVersion, kind = '', ...expressions }] of (spec.healthCheckExprs ?? []).entries()) {
    const group = groupOf(apiVersion)
    const place = `healthchecks[${at}]`
    if (evaluators.has(`${group}/${kind}`)) {
      throw invalidExpression(
        `duplicate custom health check for GroupKind ${describeKind({ group, kind })} at ${place}`,
      )
    }
    try {
      evaluators.set(`${group}/${kind}`, healthEvaluator(expressions))
    } catch (error) {
      if (!(error instanceof CelError)) throw error
      throw invalidExpression(`failed to create custom status evaluator for ${place}: ${error.message}`)
    }
  }
  return object => {
    const group = groupOf(object.apiVersion)
    const evaluate = evaluators.get(`${group}/${object.kind}`) ?? evaluators.get(`${group}/`)
    return evaluate && { status: evaluate(object as Readonly<Record<string, unknown>>), message: '', conditions: [] }
  }
}
