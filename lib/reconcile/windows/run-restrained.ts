import type { Condition, KubernetesObject } from '../../foundations/kinds/object.ts'
import type { Outcome, Pass } from '../runtime/reconciler.ts'
import { planning } from './plan-proposed.ts'
import type { Restraint } from './restraint.ts'
import { restrained } from './waiting.ts'

export type RestrainedUnit = KubernetesObject & {
  readonly status?: { readonly conditions?: readonly Condition[] }
}

/**
 * Does other work than a reconcile under what restrains the passes of a unit: with the identity and the limits that they have on its cluster. Undefined
 * if the unit may do nothing there, as its Cluster is suspended. Fails as the work does.
 */
export const runRestrained = async <T extends RestrainedUnit, R>(
  ports: Parameters<typeof restrained>[0],
  unit: T,
  pass: Pass<T>,
  work: (unit: T, pass: Pass<T>, restraint: Restraint) => Promise<R>,
): Promise<R | undefined> => {
  let result: R | undefined
  const { reconcile } = restrained<T>(ports, {
    planning,
    intervalOf: () => 0, // nothing comes after it
    reconcile: async (unit, pass, restraint) => {
      result = await work(unit, pass, restraint)
      return worked
    },
    finalize: async () => undefined,
  })
  await reconcile(unit, pass)
  return result
}

const worked: Outcome<never> = { type: 'waiting', afterMs: 0 }
